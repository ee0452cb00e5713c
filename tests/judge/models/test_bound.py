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


def test_an_element_that_jumps_excuses_no_other() -> None:
    base = np.linspace(0.5, 2.0, 8, dtype="float32")
    step = np.float32(1e-6) * np.eye(8, dtype="float32")[0] * 1e6 + np.float32(1e-7)
    moves = [sensitivity(base, [base + step])]
    wrong = np.where(np.arange(8) == 3, base * np.float32(1.05), base)
    jumped = np.where(np.arange(8) == 0, base + 2, base + np.float32(1e-6))
    assert ratio([base], [wrong], moves) > 1.0
    assert ratio([base], [jumped], moves) < 1.0


def test_an_element_that_happens_to_stay_has_the_bound_of_the_others() -> None:
    base = np.linspace(0.5, 2.0, 8, dtype="float32")
    moves = [sensitivity(base, [base + np.float32(1e-3) * (np.arange(8) != 3)])]
    assert ratio([base], [base + np.float32(5e-3)], moves) < 1.0
    assert ratio([base], [base + np.float32(0.1)], moves) > 1.0


def test_steps_are_granted_elsewhere_if_many_more_jump() -> None:
    base = np.ones(64, "float32")
    jumping = np.arange(64) % 8 == 0
    moves = [sensitivity(base, [base + np.float32(0.1) * jumping])]
    for places, explained in (([1, 2], True), ([1, 2, 3], False), ([0, 8, 16], True)):
        other = base.copy()
        other[places] += np.float32(0.1)
        assert (ratio([base], [other], moves) <= 1.0) is explained


def test_labels_that_differ_are_those_that_jump() -> None:
    labels = np.arange(64) % 6
    tied = np.arange(64) == 5
    moves = [sensitivity(labels, [np.where(tied, 1, labels)])]
    assert ratio([labels], [np.where(tied, 3, labels)], moves) == 0.0
    assert ratio([labels], [(labels + 1) % 6], moves) == np.inf
    assert ratio([labels], [np.where(np.arange(64) == 6, 1, labels)], moves) == np.inf


def test_small_elements_have_a_bound_beside_huge_ones() -> None:
    base = np.array([1280.0, 640.0, 0.5, 0.25, 0.75], "float32")
    moves = [sensitivity(base, [base * np.float32(1 + 1e-7)])]
    wrong = base + np.array([0, 0, 0.006, 0, 0], "float32")
    assert ratio([base], [wrong], moves) > 1.0
    assert ratio([base], [base * np.float32(1 + 5e-7)], moves) < 1.0


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


class Growing(Doubling):
    """Nudges change how many elements there are."""

    def nudged(
        self, target: str, inputs: Sequence[Array], copies: int, factor: float
    ) -> list[list[Array]]:
        plain = (2 * inputs[0]).reshape(-1)
        return [[plain], [plain], *([np.append(plain, np.float32(1))] for _ in range(copies))]


def test_other_shapes_explain_nothing() -> None:
    bounds = Bounds(Growing({}), ("a",), [ROWS], 3)
    one = np.array([True])
    flat = 2 * ROWS.reshape(-1)
    assert (bounds.ratios([flat], [2 * flat], one) > 1e30).all()
    assert bounds.ratios([flat], [flat], one).tolist() == [0.0]


class Hidden(Doubling):
    """A model that hides its layers: numbers with a mask where they are zero."""

    def predict_on(self, target: str, inputs: Sequence[Array]) -> list[Array] | None:
        return [np.where(inputs[0] != 0, 1 + inputs[0], 0).astype("float32")]

    def nudged(
        self, target: str, inputs: Sequence[Array], copies: int, factor: float
    ) -> list[list[Array]]:
        return []


def test_masks_are_not_lost_where_inputs_alone_are_moved() -> None:
    inputs = np.array([[0.3, 0.0], [0.0, 0.7], [0.1, 0.2]], "float32")
    bounds = Bounds(Hidden({}), ("a",), [inputs], 3)
    plain = np.where(inputs != 0, 1 + inputs, 0).astype("float32")
    assert (bounds.ratios([plain], [plain * np.float32(1.05)], np.ones(3, bool)) > 1.0).all()
