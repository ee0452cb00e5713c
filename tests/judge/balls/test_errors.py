"""Errors in units in the last place, against definitions in whole numbers and NumPy's rounding."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from assay.judge.balls import FORMATS, NO, UNDECIDED, YES, Enclosure, Open, Special, enclose
from assay.judge.balls import unit_errors as errors_of
from assay.judge.balls.errors import Errors
from assay.judge.balls.truth import working

_NATIVE = {"float16": np.float16, "float32": np.float32, "float64": np.float64}


def _errors(answer: float, truth: object, name: str = "float32") -> Errors:
    """Of one answer to one truth."""
    elements = np.empty((1,), dtype=object)
    elements[0] = truth
    one = Enclosure("op", FORMATS[name], elements, np.ones(1, dtype=bool), 64)
    return errors_of(np.array([answer]), one)


def _unit(name: str, size: Fraction) -> Fraction:
    """Of a number, by the definition: the spacing of its binade, no further than the last."""
    kind = FORMATS[name]
    exponent = kind.least
    while exponent < kind.greatest and Fraction(2) ** (exponent + 1) <= size:
        exponent += 1
    return Fraction(2) ** (exponent - kind.digits + 1)


_OF_16_BITS = st.integers(0, 2**16 - 1)


@given(answer=_OF_16_BITS, numerator=st.integers(-(2**45), 2**45), exponent=st.integers(-70, -20))
def test_an_error_is_the_distance_in_units_at_the_exact_result(
    answer: int, numerator: int, exponent: int
) -> None:
    number = float(np.uint16(answer).view(np.float16))
    truth = Fraction(numerator) * Fraction(2) ** exponent
    found = _errors(number, arb((numerator, exponent)), "float16")
    end = Fraction(2) ** 16
    if math.isnan(number):
        assert found.lower[0] == math.inf
        return
    exact = Fraction(number) if math.isfinite(number) else end * (1 if number > 0 else -1)
    expected = abs(exact - max(min(truth, end), -end)) / _unit("float16", abs(truth))
    assert Fraction(found.lower[0]) <= expected <= Fraction(found.upper[0])
    assert found.upper[0] <= found.lower[0] * (1 + 1e-12)


@given(
    truth=st.floats(allow_nan=False, allow_infinity=False),
    name=st.sampled_from(["float16", "float32"]),
)
@example(truth=65519.99999999999, name="float16")
@example(truth=65520.0, name="float16")
@example(truth=2.0**-25, name="float16")
@example(truth=1.0 + 2.0**-11, name="float16")
@example(truth=1.0 + 3 * 2.0**-11, name="float16")
@example(truth=float(np.finfo(np.float32).max), name="float32")
@example(truth=1e300, name="float32")
def test_what_numpy_rounds_to_is_correctly_rounded(truth: float, name: str) -> None:
    with np.errstate(over="ignore", under="ignore"):
        nearest = _NATIVE[name](truth)
        found = _errors(float(nearest), arb(truth), name)
        assert found.rounded[0] == YES
        assert found.faithful[0] == YES
        assert found.upper[0] <= 0.5
        # Neither of the numbers beside it is.
        for towards in (-math.inf, math.inf):
            other = np.nextafter(nearest, _NATIVE[name](towards))
            if other != nearest:
                assert _errors(float(other), arb(truth), name).rounded[0] == NO


@given(answer=_OF_16_BITS, truth=st.floats(allow_nan=False, allow_infinity=False))
@example(answer=0x7BFF, truth=1e300)
@example(answer=0x7C00, truth=65505.0)
@example(answer=0x3BFF, truth=1.0001)
@example(answer=0x0000, truth=1e-9)
def test_faithful_answers_have_no_other_number_on_their_way(answer: int, truth: float) -> None:
    number = np.uint16(answer).view(np.float16)
    if np.isnan(number):
        return
    found = _errors(float(number), arb(truth), "float16")
    with np.errstate(over="ignore", under="ignore"):
        # float16 in float64 is exact, so that comparisons are.
        below = float(np.nextafter(number, np.float16(-np.inf)))
        above = float(np.nextafter(number, np.float16(np.inf)))
    above = math.inf if number == np.inf else above
    below = -math.inf if number == -np.inf else below
    inside = (below < truth or below == -math.inf) and (truth < above or above == math.inf)
    assert found.faithful[0] == (YES if inside else NO)
    if found.faithful[0] == YES:
        assert found.upper[0] <= 1.0
    if found.upper[0] < 0.5:
        assert found.rounded[0] == YES
    if found.lower[0] > 0.5:
        assert found.rounded[0] == NO


def test_all_bfloat16_numbers_are_no_error_away_from_themselves() -> None:
    kind = pytest.importorskip("ml_dtypes").bfloat16
    numbers = np.arange(2**16, dtype="uint16").view(kind)
    (found,) = enclose("keras.ops.copy", [numbers.astype("float32")], format="bfloat16")
    errors = errors_of(numbers, found)
    assert (errors.upper == 0).all()
    assert (errors.rounded == YES).all()


@given(truth=st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_bfloat16_is_rounded_as_ml_dtypes_rounds_it(truth: float) -> None:
    kind = pytest.importorskip("ml_dtypes").bfloat16
    with np.errstate(over="ignore"):
        assert _errors(float(kind(np.float32(truth))), arb(truth), "bfloat16").rounded[0] == YES


@given(
    answer=st.floats(width=32, allow_nan=False, allow_infinity=False),
    middle=st.floats(width=32, allow_nan=False, allow_infinity=False),
    radius=st.floats(0.0, 4.0),
    inside=st.integers(-8, 8),
)
def test_bounds_hold_for_every_number_in_the_ball(
    answer: float, middle: float, radius: float, inside: int
) -> None:
    ball = arb(middle, radius * max(abs(middle), 1e-40))
    with working(4096):
        point = arb(middle) + ball.rad() * inside / 8
    whole, one = _errors(answer, ball), _errors(answer, point)
    assert whole.lower[0] <= one.upper[0]
    assert one.lower[0] <= whole.upper[0]
    for name in ("faithful", "rounded"):
        known = getattr(whole, name)[0]
        assert known == UNDECIDED or known == getattr(one, name)[0]


@pytest.mark.parametrize(
    ("answer", "truth", "lower"),
    [
        (math.nan, Special.NAN, 0.0),
        (1.0, Special.NAN, math.inf),
        (math.inf, Special.NAN, math.inf),
        (math.nan, arb(1), math.inf),
        (math.inf, Special.INFINITY, 0.0),
        (-math.inf, Special.INFINITY, math.inf),
        (2.0**100, Special.INFINITY, math.inf),
        (-math.inf, Special.MINUS_INFINITY, 0.0),
        (math.inf, Special.BEYOND, 0.0),
        (float(np.finfo(np.float32).max), Special.BEYOND, 1.0),
        (-math.inf, Special.MINUS_BEYOND, 0.0),
        (-math.inf, Special.BEYOND, 2.0**25),
        (-0.0, arb(0), 0.0),
    ],
)
def test_special_results_are_met_or_missed(answer: float, truth: object, lower: float) -> None:
    found = _errors(answer, truth)
    assert found.lower[0] == found.upper[0] == lower
    assert found.rounded[0] == (YES if lower == 0.0 else NO)


def test_without_truth_there_is_no_error() -> None:
    found = _errors(1.0, Open("nobody knows"))
    assert math.isnan(found.lower[0])
    assert (found.faithful[0], found.rounded[0]) == (UNDECIDED, UNDECIDED)


def test_zero_in_place_of_a_subnormal_number_is_told() -> None:
    assert _errors(0.0, arb(1e-40)).flushed[0]
    assert _errors(0.0, arb(1e-40)).lower[0] > 70000
    assert not _errors(0.0, arb(1e-37)).flushed[0]
    assert not _errors(0.0, arb(0)).flushed[0]


def test_a_tie_that_no_ball_decides_is_undecided() -> None:
    tie = arb(fmpq(2**24 + 1, 2**24))
    around = tie + arb(0, 2.0**-60)
    assert _errors(1.0, tie).rounded[0] == YES
    assert _errors(1.0 + 2.0**-23, tie).rounded[0] == NO
    assert _errors(1.0, around).rounded[0] == UNDECIDED
    assert _errors(1.0, around).faithful[0] == YES


def test_answers_must_fit() -> None:
    (found,) = enclose("keras.ops.exp", [np.float32([1.0, 2.0])])
    with pytest.raises(ValueError, match=r"shape \(2,\); received \(3,\)"):
        errors_of(np.zeros(3), found)
    with pytest.raises(ValueError, match=r"numbers of float32; received 0\.1"):
        errors_of(np.array([1.0, 0.1]), found)
