"""Which calls have a truth, how narrow it is, and what is said where there is none."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from assay.judge.balls import NoFormula, NoTruth, Open, Special, enclose, formulas
from assay.judge.balls.registry import formula_of
from assay.judge.balls.truth import working
from assay.ops import specs
from assay.ops.shapes import unchanged

_NAN, _INFINITY = math.nan, math.inf


def _truths(op: str, values: list[Any], dtype: str = "float64", **params: Any) -> list[Any]:
    (found,) = enclose(op, [np.array(values, dtype)], params, format="float64")
    return list(found.elements)


#: Functions of one tensor that keep its shape and have no formula: whole numbers, conversions,
#: parts of an array, draws. Linear algebra is no function of one number; two of it have formulas.
_WITHOUT = {
    "keras.layers.Masking",
    "keras.ops.bitwise_invert",
    "keras.ops.bitwise_not",
    "keras.ops.cast",
    "keras.ops.cholesky",
    "keras.ops.cholesky_inverse",
    "keras.ops.convert_to_tensor",
    "keras.ops.digitize",
    "keras.ops.fliplr",
    "keras.ops.flipud",
    "keras.ops.full_like",
    "keras.ops.isin",
    "keras.ops.ones_like",
    "keras.ops.polar",
    "keras.ops.saturate_cast",
    "keras.ops.tril",
    "keras.ops.triu",
    "keras.ops.zeros_like",
    "keras.random.dropout",
}


def test_every_function_of_one_number_has_a_formula_but_these() -> None:
    unary = {
        name
        for name, spec in specs().items()
        if name.startswith("keras.") and len(spec.tensors) == 1 and spec.rule is unchanged
        if not spec.grouped
    }
    assert unary - set(formulas()) == _WITHOUT


def test_formulas_know_every_parameter_of_functions_of_one_number() -> None:
    for name, spec in specs().items():
        if name in formulas() and len(spec.tensors) == 1 and spec.rule is unchanged:
            params = {parameter.name: 1.0 for parameter in spec.parameters}
            if name != "keras.layers.Activation":
                formula_of(name, params, 1)


@given(
    number=st.floats(allow_nan=False, allow_infinity=False),
    other=st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: number != 0),
)
def test_arithmetic_holds_the_rational_result(number: float, other: float) -> None:
    exact = {
        "add": Fraction(number) + Fraction(other),
        "subtract": Fraction(number) - Fraction(other),
        "multiply": Fraction(number) * Fraction(other),
        "divide": Fraction(number) / Fraction(other),
    }
    for name, expected in exact.items():
        (found,) = enclose(f"keras.ops.{name}", [number, other], format="float64")
        ball = found.elements[()]
        with working(4400):
            assert ball.overlaps(arb(fmpq(expected.numerator, expected.denominator)))
        assert found.settled.all()


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12))
def test_a_sum_of_numbers_of_all_sizes_is_exact_to_the_last_digit(values: list[float]) -> None:
    (found,) = enclose("keras.ops.sum", [np.array(values)], format="float64")
    with np.errstate(over="ignore"):
        try:
            nearest = math.fsum(values)
        except OverflowError:
            return
    assert found.settled.all()
    assert float(found.elements[()].mid()) == pytest.approx(nearest, rel=1e-15, abs=5e-324)


def test_precision_is_raised_until_the_ball_is_narrow() -> None:
    # x - tanh(x) is x³/3: two thirds of the digits of x are lost.
    (found,) = enclose("keras.ops.tanh_shrink", [np.array([1e-100])], format="float64")
    assert found.settled.all()
    assert found.precision > 660
    (found,) = enclose("keras.ops.tanh_shrink", [np.array([1e-100])], format="float64", ceiling=512)
    assert not found.settled.any()


def test_a_ball_is_as_narrow_as_asked_in_the_format_of_the_answer() -> None:
    for name, digits in (("bfloat16", 8), ("float16", 11), ("float32", 24), ("float64", 53)):
        for bits in (4, 64):
            (found,) = enclose("keras.ops.exp", [np.array([1.0])], format=name, bits=bits)
            ball = found.elements[0]
            # e is in the binade of 2.
            assert ball.rad() <= arb((1, 2 - digits - bits))


def test_cancellation_is_no_excuse() -> None:
    ball = _truths("keras.ops.tanh_shrink", [1e-5])[0]
    assert abs(float(ball) - (1e-5**3 / 3 - 2 * 1e-5**5 / 15)) < 1e-30
    (zero,) = enclose("keras.ops.var", [np.array([3.3] * 3)], format="float64")
    assert zero.settled.all()
    assert abs(float(zero.elements[()])) < 5e-324


@pytest.mark.parametrize(
    ("op", "number", "truth"),
    [
        ("log", 0.0, Special.MINUS_INFINITY),
        ("log", -0.0, Special.MINUS_INFINITY),
        ("log", -1e-300, Special.NAN),
        ("log", _INFINITY, Special.INFINITY),
        ("log1p", -1.0, Special.MINUS_INFINITY),
        ("sqrt", -0.0, arb(0)),
        ("sqrt", -1.0, Special.NAN),
        ("rsqrt", -0.0, Special.MINUS_INFINITY),
        ("reciprocal", 0.0, Special.INFINITY),
        ("reciprocal", -0.0, Special.MINUS_INFINITY),
        ("arctanh", -1.0, Special.MINUS_INFINITY),
        ("erfinv", 1.0, Special.INFINITY),
        ("erfinv", 1.5, Special.NAN),
        ("arccosh", 0.5, Special.NAN),
        ("exp", 1e300, Special.BEYOND),
        ("exp2", 1e300, Special.BEYOND),
        ("exp", -_INFINITY, arb(0)),
        ("sinh", -1e300, Special.MINUS_BEYOND),
        ("i0", 1e300, Special.BEYOND),
        ("cos", _INFINITY, Special.NAN),
        ("tanh", -_INFINITY, arb(-1)),
        ("erfc", -_INFINITY, arb(2)),
        ("round", 2.5, arb(2)),
        ("round", -3.5, arb(-4)),
        ("round", 0.5, arb(0)),
        ("floor", -0.5, arb(-1)),
        ("trunc", -1.5, arb(-1)),
        ("sign", -1e-320, arb(-1)),
        ("isnan", _NAN, arb(1)),
        ("nan_to_num", _NAN, arb(0)),
        ("relu", -_INFINITY, arb(0)),
        ("hard_tanh", 7.0, arb(1)),
        ("hard_shrink", 0.5, arb(0)),
        ("soft_shrink", -0.5, arb(0)),
    ],
)
def test_edges_are_those_of_ieee_754_and_branches_are_exact(
    op: str, number: float, truth: Any
) -> None:
    assert _truths(f"keras.ops.{op}", [number]) == [truth]


@pytest.mark.parametrize(
    ("op", "number"),
    [
        ("keras.ops.relu", _NAN),
        ("keras.ops.silu", -_INFINITY),
        ("keras.ops.softsign", _INFINITY),
        ("keras.ops.sinc", _INFINITY),
        ("keras.ops.angle", -0.0),
        ("keras.ops.nan_to_num", _INFINITY),
    ],
)
def test_what_nobody_defines_is_open(op: str, number: float) -> None:
    (found,) = enclose(op, [np.array([number])], format="float32")
    assert isinstance(found.elements[0], Open)
    assert not found.settled.any()
    assert list(found.reasons().values()) == [1]


@pytest.mark.parametrize(
    ("op", "pair", "truth"),
    [
        ("divide", (1.0, -0.0), Special.MINUS_INFINITY),
        ("divide", (0.0, 0.0), Special.NAN),
        ("divide_no_nan", (1.0, 0.0), arb(0)),
        ("power", (0.0, 0.0), arb(1)),
        ("power", (-0.0, -3.0), Special.MINUS_INFINITY),
        ("power", (-2.0, 0.5), Special.NAN),
        ("power", (-2.0, 3.0), arb(-8)),
        ("power", (-10.0, 1e300), Special.BEYOND),
        ("hypot", (_INFINITY, _NAN), Special.INFINITY),
        ("fmin", (_NAN, 2.0), arb(2)),
        ("mod", (-7.0, 3.0), arb(2)),
        ("fmod", (-7.0, 3.0), arb(-1)),
        ("floor_divide", (-7.0, 2.0), arb(-4)),
        ("heaviside", (0.0, 0.25), arb(0.25)),
        ("greater", (_NAN, 1.0), arb(0)),
        ("not_equal", (_NAN, _NAN), arb(1)),
        ("arctan2", (0.0, 1.0), arb(0)),
    ],
)
def test_edges_of_pairs(op: str, pair: tuple[float, float], truth: Any) -> None:
    (found,) = enclose(f"keras.ops.{op}", list(pair), format="float64")
    assert found.elements[()] == truth


def test_large_floats_have_exact_remainders() -> None:
    (found,) = enclose("keras.ops.fmod", [1e308, 3.0], format="float64")
    assert found.elements[()] == int(1e308) % 3


def test_whole_numbers_are_exact() -> None:
    (found,) = enclose("keras.ops.copy", [np.array([2**62 + 1])])
    assert found.elements[0] == 2**62 + 1


def test_sums_of_what_is_not_finite_are_those_of_ieee_754() -> None:
    rows = np.array([[1, _INFINITY], [_INFINITY, -_INFINITY], [_NAN, 1.0], [1.0, 2.0]])
    (found,) = enclose("keras.ops.sum", [rows], {"axis": 1})
    assert list(found.elements) == [Special.INFINITY, Special.NAN, Special.NAN, arb(3)]
    (found,) = enclose("keras.ops.matmul", [rows, np.array([0.0, 1.0])])
    assert list(found.elements) == [Special.INFINITY, Special.NAN, Special.NAN, arb(2)]


def test_other_calls_on_what_is_not_finite_are_open_where_it_matters() -> None:
    rows = np.array([[1.0, _INFINITY], [1.0, 2.0]])
    (found,) = enclose("keras.ops.softmax", [rows])
    assert found.reasons() == {"an input is not finite": 2}
    assert found.settled[1].all()


def test_what_no_precision_decides_is_told() -> None:
    (found,) = enclose("keras.ops.inv", [np.array([[1.0, 2.0], [2.0, 4.0]])], ceiling=512)
    assert not found.settled.any()
    assert sum(found.reasons().values()) == 4


def test_a_probability_that_is_clipped_has_no_truth() -> None:
    with pytest.raises(NoTruth, match="an epsilon of the format"):
        enclose("keras.ops.binary_crossentropy", [np.ones(1), np.ones(1)])


def test_calls_without_a_formula_say_what_is_missing() -> None:
    with pytest.raises(NoFormula, match=r"no formula in ball arithmetic for keras\.ops\.sort"):
        enclose("keras.ops.sort", [np.ones(2)])
    with pytest.raises(NoFormula, match="does not know the parameter weights"):
        enclose("keras.ops.sum", [np.ones(2)], {"weights": 1})
    with pytest.raises(NoFormula, match="takes x, threshold, default_value; received 1"):
        enclose("keras.ops.threshold", [np.ones(2)])
    with pytest.raises(NoFormula, match="takes x; received 2 arguments"):
        enclose("keras.ops.exp", [np.ones(2), np.ones(2)])
    with pytest.raises(NoFormula, match="knows no weights"):
        enclose("keras.ops.sum", [np.ones(2)], weights={"kernel": np.ones(2)})
    with pytest.raises(ValueError, match="expected a format"):
        enclose("keras.ops.exp", [np.ones(2)], format="float8")
    with pytest.raises(TypeError, match="expected real numbers"):
        enclose("keras.ops.exp", [np.ones(2, "complex64")])


def test_parameters_without_effect_are_ignored_in_layers_only() -> None:
    layer = {"trainable": False, "kernel_regularizer": "l2", "units": 1}
    weights = {"kernel": np.ones((2, 1)), "bias": np.ones(1)}
    (found,) = enclose("keras.layers.Dense", [np.ones((1, 2))], layer, weights=weights)
    assert found.elements[0, 0] == 3
    with pytest.raises(NoFormula, match="does not know the parameter name"):
        enclose("keras.ops.exp", [np.ones(2)], {"name": "e"})


def test_a_weight_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="expected a weight bias; received kernel"):
        enclose(
            "keras.layers.Dense",
            [np.ones((1, 2))],
            {"units": 1},
            weights={"kernel": np.ones((2, 1))},
        )


def test_the_working_precision_is_left_as_it_was() -> None:
    before = ctx.prec
    enclose("keras.ops.exp", [np.ones(2)], format="float64", bits=300)
    assert ctx.prec == before
