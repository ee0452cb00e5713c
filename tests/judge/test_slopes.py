"""Slopes on either side of an element, and what may stand in for a derivative."""

import numpy as np
import pytest

from assay.judge.slopes import _FINE, Slopes, slopes_of


def at_zero(function: object) -> Slopes:
    points = [0.0, *(-step for step in _FINE), *_FINE]
    with np.errstate(all="ignore"):
        losses = [np.float64(function(np.float64(x))) for x in points]  # type: ignore[operator]
    return slopes_of(losses, _FINE)


def test_a_smooth_function_has_one_slope() -> None:
    found = at_zero(np.sin)
    assert found.exist
    assert found.smooth()
    assert found.right == pytest.approx(1.0, rel=1e-3)


def test_at_a_kink_every_number_between_will_do_and_nan_will_not() -> None:
    found = at_zero(np.abs)
    assert found.exist
    assert not found.smooth()
    assert [found.between(value) for value in (-1.0, 0.0, 1.0)] == [True] * 3
    assert not found.between(1.5)
    assert not found.between(np.nan)


@pytest.mark.parametrize("function", [np.sqrt, np.cbrt, np.sign])
def test_where_it_grows_too_steep_or_jumps_there_is_none(function: object) -> None:
    assert not at_zero(function).exist


def test_at_the_edge_of_its_domain_one_slope_is_enough() -> None:
    found = at_zero(lambda x: x**1.5)
    assert found.exist
    assert found.edge


def test_a_guard_against_zero_makes_a_steep_slope_and_no_jump() -> None:
    found = at_zero(lambda x: x / max(abs(x), 1e-7))
    assert found.exist
    assert found.right == pytest.approx(1e7, rel=1e-3)
