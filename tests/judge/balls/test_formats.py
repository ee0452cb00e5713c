"""Formats against NumPy's own, and ml_dtypes' bfloat16: other people's numbers."""

import math

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from assay.judge.balls import FORMATS, belongs, format_of
from assay.judge.balls.formats import exponent_of, neighbours, power, unit_exponent

_NATIVE = {"float16": np.float16, "float32": np.float32, "float64": np.float64}


def _bfloat16() -> type:
    return pytest.importorskip("ml_dtypes").bfloat16  # type: ignore[no-any-return]


def _all_of_16_bits(name: str) -> np.ndarray:
    kind = np.float16 if name == "float16" else _bfloat16()
    with np.errstate(invalid="ignore"):
        numbers = np.arange(2**16, dtype="uint16").view(kind).astype("float64")
    return np.sort(numbers[np.isfinite(numbers)])


@pytest.mark.parametrize("name", list(_NATIVE))
def test_ends_are_those_of_numpy(name: str) -> None:
    kind, facts = FORMATS[name], np.finfo(_NATIVE[name])
    assert power(kind.smallest) == arb(float(facts.smallest_subnormal))
    assert power(kind.least) == arb(float(facts.smallest_normal))
    assert neighbours(kind, power(kind.end))[0] == arb(float(facts.max))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_neighbours_walk_through_all_numbers_of_16_bits(name: str) -> None:
    kind = FORMATS[name]
    numbers = [float(number) for number in np.unique(_all_of_16_bits(name))]
    for before, number, after in zip(numbers, numbers[1:], numbers[2:], strict=False):
        below, above = neighbours(kind, arb(number))
        assert (float(below), float(above)) == (before, after)
    assert neighbours(kind, arb(numbers[-1]))[1] == power(kind.end)


@pytest.mark.parametrize("name", ["float32", "float64"])
@given(data=st.data())
def test_neighbours_are_those_of_nextafter(name: str, data: st.DataObject) -> None:
    kind = _NATIVE[name]
    drawn = st.floats(allow_nan=False, allow_infinity=False, width=32 if name == "float32" else 64)
    number = data.draw(drawn)
    below, above = neighbours(FORMATS[name], arb(number))
    for found, towards in ((below, -math.inf), (above, math.inf)):
        with np.errstate(over="ignore"):
            expected = float(np.nextafter(kind(number), kind(towards)))
        end = power(FORMATS[name].end)
        assert found == (arb(expected) if math.isfinite(expected) else end if towards > 0 else -end)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
# The largest number of float16 has no next one, of which NumPy gives the distance.
@given(number=st.floats(0.0, 65472.0, width=16))
@example(number=0.0)
@example(number=65472.0)
def test_a_unit_is_the_distance_to_the_next_number(name: str, number: float) -> None:
    spacing = float(np.spacing(_NATIVE[name](number)))
    assert 2.0 ** unit_exponent(FORMATS[name], arb(number)) == spacing


@given(number=st.floats(width=32, allow_nan=False))
@example(number=float(np.float32(3.4e38)))
@example(number=2.0**-149)
@example(number=2.0**-133)
def test_belonging_is_surviving_a_cast(number: float) -> None:
    with np.errstate(over="ignore"):
        assert belongs(FORMATS["float16"], number) == (float(np.float16(number)) == number)
        assert belongs(FORMATS["bfloat16"], number) == (float(_bfloat16()(number)) == number)
        assert belongs(FORMATS["float32"], number)


@given(number=st.floats(allow_nan=False))
@example(number=2.0**128)
@example(number=2.0**-150)
@example(number=1.0 + 2.0**-24)
def test_belonging_to_float32_is_surviving_a_cast(number: float) -> None:
    with np.errstate(over="ignore"):
        assert belongs(FORMATS["float32"], number) == (float(np.float32(number)) == number)


@given(number=st.floats(min_value=5e-324, allow_infinity=False))
def test_exponents_are_those_of_frexp(number: float) -> None:
    assert exponent_of(arb(number)) == math.frexp(number)[1] - 1


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(ValueError, match=r"one of float16, bfloat16, .*'float8'"):
        format_of("float8")
