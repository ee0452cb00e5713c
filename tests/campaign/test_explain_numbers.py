"""What numbers that differ are: a bug, rounding or a convention; with plain functions."""

from typing import Any

import numpy as np
import pytest

from assay.ir import Array
from tests.campaign.worlds import JAX, TF, TORCH, Function, World, X, case_of, explained, trial_of


def test_a_cancellation_is_rounding() -> None:
    x = np.array([[1.0, 1.0000001]], "float32")
    ops = {"*": lambda x: (x - 1) * 1e6, TORCH: lambda x: (x - np.float32(1 + 1.2e-7)) * 1e6}
    result = explained(World({"cancel": ops}), trial_of(case_of(x, "cancel")))
    assert result.verdict.category == "rounding"
    assert "one ULP" in result.verdict.evidence.reason


def wrong_at(*values: float) -> Function:
    return lambda x: np.where(np.isin(x, values), x + x.dtype.type(0.5), x)


def noisy(x: Array) -> Array:
    """What a formula that cancels gives: noise in float32, the truth in float64."""
    if x.dtype == "float64":
        return x
    return x + (x.view("int32") % 5 - 2).astype("float32") / 4


def noisy_at_every_width(x: Array) -> Array:
    return noisy(x.astype("float32"))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param(noisy, "precision", id="noise"),
        pytest.param(noisy_at_every_width, "precision", id="noise without a wider format"),
        pytest.param(lambda x: x + x.dtype.type(0.5), "inconsistency", id="shifted"),
        pytest.param(wrong_at(0.5), "inconsistency", id="wrong at one input"),
        pytest.param(wrong_at(0.5, 0.5 + 2.0**-24), "inconsistency", id="wrong at some inputs"),
    ],
)
def test_an_unstable_formula_is_a_bug_and_told_from_a_wrong_meaning(
    answer: Function, kind: str
) -> None:
    world = World({"op": {"*": lambda x: x, TORCH: answer}})
    result = explained(world, trial_of(case_of(X, "op")))
    assert (result.verdict.category, result.verdict.kind) == ("bug", kind)


def test_a_scalar_can_be_rounding_too() -> None:
    x = np.array([1.0, 1.0000001, 0.75], "float32")
    ops = {
        "*": lambda x: np.float32((x[0] - x[1]) * 1e6),
        TORCH: lambda x: np.float32((x[0] - x[1]) * 1e6 + 0.05),
    }
    result = explained(World({"cancel": ops}), trial_of(case_of(x, "cancel")))
    assert result.verdict.evidence.position == ()
    assert result.verdict.category == "rounding"


def test_a_nan_that_comes_and_goes_with_an_ulp_is_rounding() -> None:
    x = np.array([[1.0, 0.5]], "float32")
    ops = {"*": lambda x: np.sqrt(1 - x), TORCH: lambda x: np.sqrt(1 - x - np.float32(1e-7))}
    result = explained(World({"edge": ops}), trial_of(case_of(x, "edge")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "rounding")


def test_a_nan_at_an_ordinary_place_is_a_bug_whatever_happens_elsewhere() -> None:
    """log(0) comes and goes with an ULP; log(1) does not."""
    x = np.array([[0.0, 1.0]], "float32")

    def wrong(x: Array) -> Array:
        result = np.log(np.abs(x))
        result[0, 1] = np.nan
        return result

    ops = {"*": lambda x: np.log(np.abs(x)), TORCH: wrong}
    result = explained(World({"log": ops}), trial_of(case_of(x, "log")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "bug")
    assert result.verdict.evidence.position == (0, 1)


def test_shapes_that_differ_are_a_bug() -> None:
    world = World({"flat": {"*": lambda x: x, TORCH: np.ravel}})
    result = explained(world, trial_of(case_of(X, "flat")))
    assert result.verdict.category == "bug"
    assert world.runs == 0


def test_a_known_convention_is_recognised_by_its_entry() -> None:
    x = np.array([[1.0, np.nan]], "float32")
    ops = {"*": lambda x: x.max(axis=1), TORCH: lambda x: np.nanmax(x, axis=1)}
    world = World({"keras.layers.MaxPooling1D": ops})
    result = explained(world, trial_of(case_of(x, "keras.layers.MaxPooling1D")))
    assert (result.verdict.category, result.verdict.recognised) == ("convention", "max-pooling-nan")


def test_a_wrong_result_that_overflows_is_no_rounding() -> None:
    """With moderate numbers it is as wrong, though not infinite."""
    x = np.array([[3e38, 1.0]], "float32")
    ops = {"*": lambda x: x, TORCH: lambda x: x * np.float32(4)}
    result = explained(World({"scale": ops}), trial_of(case_of(x, "scale")))
    assert result.verdict.category == "bug"


def test_overflow_inside_is_rounding() -> None:
    x = np.array([[3e38, 1.0]], "float32")
    ops = {"*": lambda x: x, TORCH: lambda x: (x * np.float32(4)) / np.float32(4)}
    result = explained(World({"scale": ops}), trial_of(case_of(x, "scale")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "rounding")


@pytest.mark.parametrize(
    ("op", "category"),
    [
        ("keras.optimizers.Adam", "rounding"),
        ("keras.metrics.RootMeanSquaredError", "rounding"),
        ("keras.metrics.CosineSimilarity", "bug"),
        ("keras.ops.norm", "bug"),
    ],
)
def test_a_state_that_does_not_fit_is_no_unstable_formula(op: str, category: str) -> None:
    def squared(x: Array) -> Array:
        return np.sqrt(np.square(x))

    x = np.array([[8e37, 1.0]], "float32")
    ops = {"*": squared, "reference": lambda x: np.sqrt(np.square(x.astype("float64")))}
    result = explained(World({op: ops}), trial_of(case_of(x, op)))
    assert result.verdict.category == category


def test_nan_for_what_double_precision_does_not_hold_either_is_overflow() -> None:
    x = np.array([[3e38, 2.0]], "float32")

    def large(x: Array) -> Array:
        return np.where(x > 1e30, x.dtype.type(np.inf), x)

    def lost(x: Array) -> Array:
        return np.where(x > 1e30, x.dtype.type(np.nan), x)

    result = explained(World({"op": {"*": large, TORCH: lost}}), trial_of(case_of(x, "op")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "rounding")


def test_what_only_the_reference_disputes_is_no_bug() -> None:
    ops = {"*": lambda x: x, "reference": lambda x: x + 1}
    result = explained(World({"op": ops}), trial_of(case_of(X, "op")))
    assert result.verdict.category == "convention"
    assert result.verdict.blamed == ()


def test_who_contradicts_everybody_is_not_excused_by_the_size_of_what_goes_in() -> None:
    """Where all agree against the reference, their terms may have cancelled out."""
    x = np.array([[1e6, 0.25, 3.0]], "float32")
    off: dict[str, Any] = {"*": lambda x: np.sin(x) + 0.5, "reference": np.sin}
    agreed = explained(World({"op": off}), trial_of(case_of(x, "op")))
    assert agreed.verdict.category == "rounding"
    others = {TORCH: lambda x: np.sin(x) + 0.75, JAX: lambda x: np.sin(x) - 0.5}
    result = explained(World({"op": {**off, **others}}), trial_of(case_of(x, "op")))
    assert result.verdict.category == "undecided"


def clipped(x: Array) -> Array:
    return np.clip(x.astype("float64"), -(2**31), 2**31 - 1).astype("int32")


def overflown(x: Array) -> Array:
    return np.where(np.abs(x) > 2**31, np.int32(-(2**31)), clipped(x))


def test_whole_numbers_do_not_round_however_large_the_numbers_that_go_in() -> None:
    x = np.array([[3e30, 1.0]], "float32")
    world = World({"cast": {"*": overflown, JAX: clipped, "reference": clipped}})
    result = explained(world, trial_of(case_of(x, "cast")))
    assert (result.verdict.kind, result.verdict.category) == ("inconsistency", "bug")
    assert set(result.verdict.blamed) == {TF, TORCH}
    world = World({"cast": {"*": overflown, "reference": clipped}})
    result = explained(world, trial_of(case_of(x, "cast")))
    assert result.verdict.category == "convention"
