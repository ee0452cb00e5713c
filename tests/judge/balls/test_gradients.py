"""Gradients by one sweep back: against rules by hand in mpmath, at kinks, and how they move."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from assay.campaign.precision.asking import in_format
from assay.ir import Array, Case
from assay.judge.balls import NoFormula
from assay.judge.balls.gradients import Gradients
from assay.libraries import SHARED, everything, translated
from assay.sources.precision import Wishes, drawn

NUMBERS = np.array([0.5, -1.25, 2.0, 0.125])
SHARES = np.array([3.0, 1.0, 8.0, 2.0])


def case_of(op: str, shape: tuple[int, ...] = (4,), **params: Any) -> tuple[Case, list[str]]:
    found = drawn(everything()[op], Wishes(shape=shape, fixed=params), 0)
    case = in_format(translated(found.case, SHARED), "float64")
    return case, [item.name for item in found.tensors]


def gradient(op: str, numbers: Array, shares: Array, **params: Any) -> Array:
    case, names = case_of(op, numbers.shape, **params)
    found = Gradients(case, names, "float32")
    return found.at({"x0": numbers}, [shares], "float64").slopes


def softmax(x: list[Any]) -> list[Any]:
    total = sum(mpmath.exp(item) for item in x)
    return [mpmath.exp(item) / total for item in x]


def test_of_softmax_it_is_the_rule_of_the_book() -> None:
    with mpmath.workdps(60):
        y = softmax([mpmath.mpf(item) for item in NUMBERS])
        inner = sum(s * item for s, item in zip(SHARES, y, strict=True))
        expected = [float(item * (s - inner)) for s, item in zip(SHARES, y, strict=True)]
        logarithmic = [
            float(s - item * sum(SHARES.tolist())) for s, item in zip(SHARES, y, strict=True)
        ]
    assert gradient("keras.ops.softmax", NUMBERS, SHARES).tolist() == expected
    assert gradient("keras.ops.log_softmax", NUMBERS, SHARES).tolist() == logarithmic


def test_of_layer_normalization_it_is_the_rule_of_the_book() -> None:
    epsilon = 2.0**-10
    with mpmath.workdps(60):
        x, s = ([mpmath.mpf(item) for item in array] for array in (NUMBERS, SHARES))
        mean = sum(x) / 4
        variance = sum((item - mean) ** 2 for item in x) / 4
        root = mpmath.sqrt(variance + epsilon)
        y = [(item - mean) / root for item in x]
        inner = sum(one * two for one, two in zip(s, y, strict=True)) / 4
        expected = [
            float((one - sum(s) / 4 - two * inner) / root) for one, two in zip(s, y, strict=True)
        ]
    found = gradient("keras.ops.layer_normalization", NUMBERS, SHARES, epsilon=epsilon)
    assert found.tolist() == expected


@pytest.mark.parametrize(
    "op",
    [
        "keras.ops.std",
        "keras.ops.var",
        "keras.ops.norm",
        "keras.ops.prod",
        "keras.ops.logsumexp",
        "keras.ops.cumprod",
        "keras.layers.RMSNormalization",
        "keras.layers.Conv1D",
        "keras.ops.average_pool",
        "keras.losses.LogCosh",
        "keras.losses.CosineSimilarity",
    ],
)
def test_it_is_the_quotient_of_small_differences(op: str) -> None:
    found = drawn(everything()[op], Wishes(), 0)
    case = in_format(translated(found.case, SHARED), "float64")
    names = [item.name for item in found.tensors]
    gradients = Gradients(case, names, "float32")
    state = np.random.default_rng(3)
    near = {item.name: state.uniform(0.2, 0.9, item.shape) for item in found.tensors}
    shares = [state.integers(1, 9, shape).astype(float) for shape in gradients.shapes(near)]
    slopes = gradients.at(near, shares, "float64").slopes

    def loss(step: float) -> float:
        moved = {name: array.copy() for name, array in near.items()}
        moved[names[0]].reshape(-1)[0] += step
        return total(gradients, moved, shares)

    quotient = (loss(2.0**-12) - loss(-(2.0**-12))) * 2.0**11
    assert slopes[0] == pytest.approx(quotient, rel=1e-4, abs=1e-7)
    assert slopes[0] != 0.0


def total(gradients: Gradients, near: dict[str, Array], shares: list[Array]) -> float:
    from flint import arb

    from assay.judge.balls.arrays import each

    tensors = {name: each(arb, array) for name, array in near.items()}
    _, results = gradients.swept(tensors, shares)
    flat = np.concatenate([item.reshape(-1) for item in shares])
    return float(sum(item * share for item, share in zip(results, flat, strict=True)))


def test_at_ties_the_largest_has_no_gradient_and_logsumexp_has_one() -> None:
    tied = np.array([1.0, 1.0, 0.0])
    found = gradient("keras.ops.amax", tied, np.array(4.0))
    assert np.isnan(found[:2]).all()
    assert found[2] == 0.0
    smooth = gradient("keras.ops.logsumexp", tied, np.array(4.0))
    share = 4.0 * math.e / (2.0 * math.e + 1.0)
    assert smooth == pytest.approx([share, share, 4.0 / (2.0 * math.e + 1.0)], rel=1e-15)


def test_of_equal_numbers_no_gradient_of_a_deviation_is_told() -> None:
    assert np.isnan(gradient("keras.ops.std", np.full(3, 0.75), np.array(1.0))).all()
    assert np.isnan(gradient("keras.ops.norm", np.zeros(3), np.array(1.0))).all()
    assert gradient("keras.ops.var", np.full(3, 0.75), np.array(1.0)).tolist() == [0.0, 0.0, 0.0]


def test_none_is_told_where_the_result_is_beyond_the_format() -> None:
    huge = np.array([2.0**80, 2.0**60, 1.0])
    assert np.isnan(gradient("keras.ops.prod", huge, np.array(1.0))).all()
    assert gradient("keras.ops.prod", huge * 2.0**-40, np.array(1.0)).tolist() == [
        2.0**-20,
        2.0**0,
        2.0**60,
    ]


def test_it_moves_as_slopes_of_slopes_say() -> None:
    case, names = case_of("keras.ops.prod", (3,))
    known = Gradients(case, names, "float32").at(
        {"x0": np.array([2.0, 3.0, 5.0])}, [np.array(1.0)], "float64"
    )
    # Of x y z by x: y z, which moves by z with y, by y with z, and by all of it with its share.
    second = known.second(0)
    assert second.numbers[0] == pytest.approx([0.0, 5.0, 3.0], rel=1e-12, abs=1e-12)
    assert second.upstream[0] == pytest.approx([15.0], rel=1e-12)
    assert known.beside(2.0**-24, 0.0) == pytest.approx(2.0**-24 * 2.0 * known.slopes, rel=1e-12)


def test_without_rules_for_slopes_there_is_no_formula() -> None:
    case, names = case_of("keras.ops.inv", (3, 3))
    gradients = Gradients(case, names, "float32")
    with pytest.raises(NoFormula, match="no slopes"):
        gradients.at({"x0": np.eye(3)}, [np.ones((3, 3))], "float32")
    case, names = case_of("keras.ops.tanh")
    with pytest.raises(NoFormula, match="numbers by themselves"):
        Gradients(case, names, "float32")
