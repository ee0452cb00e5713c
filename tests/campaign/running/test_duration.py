"""Durations as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.campaign.running.duration import parse_duration
from assay.errors import AssayError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("90s", 90),
        ("2m", 120),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("1H", 3600),
        ("0.5s", 0.5),
        ("1.5h", 5400),
        ("1d", 86400),
        ("2m30", 150),
    ],
)
def test_examples(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.sampled_from(["", " "]))
def test_hours_minutes_and_seconds_add_up(h: int, m: int, s: int, space: str) -> None:
    parts = [f"{number}{unit}" for number, unit in ((h, "h"), (m, "m"), (s, "s")) if number]
    if parts:
        assert parse_duration(space.join(parts)) == h * 3600 + m * 60 + s


@pytest.mark.parametrize(
    "text", ["", " ", "2x", "m", "-1", "-2m", "2m1h", "1e3", "nan", "inf", "2:00", "٣", "1..5s"]
)
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(AssayError) as caught:
        parse_duration(text)
    assert str(caught.value) == (
        f'--budget takes a duration such as 90, 90s, 2m or 1h30m; received "{text}".'
    )


@pytest.mark.parametrize("text", ["0", "0s", "0h0m", "1000000000"])
def test_no_time_and_endless_time_are_refused(text: str) -> None:
    with pytest.raises(AssayError, match="must be more than 0 and less than 30 years"):
        parse_duration(text)


@given(st.text(alphabet="0123456789.hmsd -x", max_size=8))
def test_any_text_gives_a_positive_number_or_a_clear_error(text: str) -> None:
    try:
        seconds = parse_duration(text)
    except AssayError as error:
        message = str(error)
    else:
        message = text
        assert 0 < seconds < 1e9
    assert text in message
