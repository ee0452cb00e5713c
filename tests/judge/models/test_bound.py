"""Rounding explains what moves as much by itself, and nothing else."""

from collections.abc import Sequence

import numpy as np
import pytest

from assay.ir import Array
from assay.judge.models.bound import GRANTED, Bounds, ratio
from assay.judge.rounding import sensitivity

BASE = np.array([0.5, 0.25], "float32")
#: As they are, then moved by about one ULP in every layer.
MOVED = sensitivity(BASE, [BASE + np.array([1e-6, -2e-6], "float32")])


@pytest.mark.parametrize(
    ("other", "explained"),
    [
        (BASE + np.float32(5e-6), True),
        (BASE + np.float32(1e-3), False),
        (np.array([0.5, np.nan], "float32"), False),
        (BASE[:1], False),
    ],
    ids=["near", "far", "nan", "shape"],
)
def test_what_rounding_explains(other: np.ndarray, explained: bool) -> None:
    assert (ratio([BASE], [other], [MOVED]) <= 1.0) is explained


def test_whole_numbers_jump_or_stay() -> None:
    labels = np.array([1, 2])
    still, jumping = (sensitivity(labels, [labels + step]) for step in (0, 1))
    assert ratio([labels], [labels], [still]) == 0.0
    assert ratio([labels], [labels + 1], [still]) == np.inf
    assert ratio([labels], [labels + 1], [jumping]) == 0.0


def test_each_output_has_a_bound_of_its_own() -> None:
    large = np.array([1e6], "float32")
    moves = [MOVED, sensitivity(large, [large + 1])]
    wrong = BASE + np.float32(1e-3)
    assert ratio([BASE, large], [wrong, large], moves) > 1.0


class Doubling:
    """A model on two targets; ``jumps`` says how far nudges move each, ``shakes`` how far it
    moves by itself.
    """

    def __init__(self, jumps: dict[str, float], shakes: float = 0.0) -> None:
        self.jumps, self.shakes = jumps, shakes
        self.measured: list[tuple[str, int]] = []

    def predict_on(self, target: str, inputs: Sequence[Array]) -> list[Array] | None:
        return [2 * inputs[0]]

    def nudged(
        self, target: str, inputs: Sequence[Array], copies: int, factor: float
    ) -> list[list[Array]]:
        self.measured.append((target, len(inputs[0])))
        plain = 2 * inputs[0]
        moves = [0.0, self.shakes, *(self.jumps[target] * factor for _ in range(copies))]
        return [[plain + np.float32(move)] for move in moves]


ROWS = np.array([[1.0], [2.0], [4.0]], "float32")
ASKED = np.array([True, False, True])


def test_the_smallest_bound_counts_and_is_measured_once() -> None:
    models = Doubling({"a": 1e-3, "b": 1e-5})
    bounds = Bounds(models, ("a", "b"), [ROWS], 3)
    apart = [2 * ROWS], [2 * ROWS + np.float32(1e-3)]
    found = bounds.ratios(*apart, ASKED)
    np.testing.assert_allclose(found, [1e-3 / (GRANTED * 1e-5), 0.0, 6.25], rtol=0.1)
    bounds.ratios(*apart, np.array([True, True, True]))
    assert models.measured == [("a", 2), ("b", 2), ("a", 1), ("b", 1)]


def test_nothing_is_measured_on_a_model_that_moves_by_itself() -> None:
    bounds = Bounds(Doubling({"a": 1e-3}, shakes=0.5), ("a",), [ROWS], 3)
    assert bounds.ratios([2 * ROWS], [3 * ROWS], ASKED).tolist() == [np.inf, 0.0, np.inf]


class Averaging(Doubling):
    """The same with the mean of all instances as a second output."""

    def nudged(
        self, target: str, inputs: Sequence[Array], copies: int, factor: float
    ) -> list[list[Array]]:
        runs = super().nudged(target, inputs, copies, factor)
        return [[run[0], np.asarray(run[0].mean())] for run in runs]


def test_outputs_of_all_instances_together_are_measured_on_all_of_them() -> None:
    models = Averaging({"a": 1e-3})
    bounds = Bounds(models, ["a"], [ROWS], 3)
    first = [2 * ROWS, np.asarray((2 * ROWS).mean())]
    near, far = ([first[0], first[1] + np.float32(step)] for step in (1e-3, 1.0))
    found = bounds.ratios(first, near, ASKED)
    np.testing.assert_allclose(found, [1 / GRANTED, 0, 1 / GRANTED], rtol=0.01)
    assert (bounds.ratios(first, far, np.array([False, True, False])) > 1).tolist()[1]
    assert models.measured == [("a", 3)]
