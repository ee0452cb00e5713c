"""Arguments that guesses ask for."""

import numpy as np
import pytest

from assay_worker.catalogue.wanted import (
    Made,
    Named,
    Wanted,
    built,
    holding,
    interleaved,
    likeliest,
    tensor,
)


def test_the_first_choices_come_first():
    found = list(likeliest([["a", "b", "c"], [1, 2]], 10))
    assert found[0] == ["a", 1]
    assert {tuple(item) for item in found[1:3]} == {("a", 2), ("b", 1)}
    assert len(found) == 6
    assert list(likeliest([["a", "b", "c"], [1, 2]], 2)) == found[:2]


def test_an_argument_without_choices_leaves_no_combination():
    assert list(likeliest([["a"], []], 5)) == []
    assert list(likeliest([], 5)) == [[]]


def test_sources_take_turns():
    assert list(interleaved([[1, 4, 6], [2], [3, 5]])) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool", "complex64"])
def test_numbers_are_the_same_for_the_same_label(dtype):
    first, again, other = (tensor(4, 5).array(dtype, label) for label in ("a", "a", "b"))
    assert first.dtype == dtype
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_numbers_stay_within_what_was_asked_for():
    array = tensor(50, low=2.0, high=3.0).array("float64", "")
    assert array.min() >= 2.0
    assert array.max() <= 3.0


def test_values_that_are_held_stay():
    assert holding([[1, 0]]).array("int32", "").tolist() == [[1, 0]]
    assert holding([1, 0]).dtype == "int32"
    assert holding([1.5]).dtype is None


def test_an_argument_is_built_from_the_inside():
    asked = {"x": [Made("lib.pair", Wanted((2,)), 3)], "fn": Named("lib.square")}
    found = built(
        asked, lambda wanted: wanted.shape, {"lib.pair": lambda *x: x, "lib.square": 7}.get
    )
    assert found == {"x": [((2,), 3)], "fn": 7}
