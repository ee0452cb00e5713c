"""The element that a finding shows is the one that differs most."""

import numpy as np
import pytest

from assay.judge.models.farthest import farthest

BASE = np.array([[0.5, 0.25]], "float32")
HALF = np.array([[0.0, 0.5]], "float32")


@pytest.mark.parametrize(
    ("first", "second", "what", "place", "position", "magnitude"),
    [
        ([BASE, BASE], [BASE + 0.1, BASE + HALF], "value", 1, (0, 1), 0.5),
        ([BASE, BASE], [BASE + 9.0, [[0.5, np.nan]]], "nan", 1, (0, 1), np.inf),
        ([BASE, BASE], [BASE, BASE[:, :1]], "shape", 1, (), 0.0),
        ([BASE], [BASE, BASE], "shape", 0, (), 0.0),
        ([BASE[:, :0]], [BASE[:, :0]], "value", 0, (), 0.0),
    ],
    ids=["value", "nan before value", "shape before all", "another number of outputs", "empty"],
)
def test_the_farthest_element(
    first: list[np.ndarray],
    second: list[np.ndarray],
    what: str,
    place: int,
    position: tuple[int, ...],
    magnitude: float,
) -> None:
    found = farthest(first, [np.asarray(item, "float32") for item in second])
    assert (found.what, found.place, found.position) == (what, place, position)
    assert found.magnitude == pytest.approx(magnitude)


def test_nan_is_nan() -> None:
    both = [np.array([np.nan, 1.0], "float32")]
    assert farthest(both, both).magnitude == 0.0


def test_rounding_of_a_large_element_is_not_the_farthest() -> None:
    base = np.array([1e38, 1.0, 1.0, 2.0], "float32")
    other = base * np.array([1 + 1e-6, 1, 5, 1], "float32")
    assert farthest([base], [other]).position == (2,)
