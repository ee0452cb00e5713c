"""Two writings of what an op means agree: ball arithmetic, and the float64 reference."""

from typing import Any

import numpy as np

from assay.judge.balls import Open, enclose, formulas, unit_errors
from assay.judge.balls.special import _COSTLY
from assay_worker.reference import Operation, Unsupported, names
from tests.judge.balls.cases import WHOLE, drawn, draws, elementwise

#: Of float64, which is far below a unit of any narrower format. Tails lose the most: erfc rounds
#: its argument, which exp(-x * x) magnifies.
_UNITS = 1024.0
#: Of the largest number of a result, as sums round beside it.
_RELATIVE = 2e-13


#: Their phases are rounded, or large terms cancel out.
_CONDITIONED = tuple(
    f"scipy.special.{name}"
    for name in ("airy", "j0", "j1", "y0", "y1", "beta", "betaln", "kl_div", "gammaln")
)


def _reference(op: str, arrays: list[Any], params: dict[str, Any], weights: Any = None) -> Any:
    with np.errstate(all="ignore"):
        return Operation(op, params).run(tuple(arrays), {}, weights or {}, False)[0]


def _float64(value: Any) -> Any:
    if isinstance(value, list):
        return [_float64(item) for item in value]
    return value if value.dtype.kind == "i" else value.astype("float64")


def _results(op: str, arrays: list[Any], params: dict[str, Any]) -> list[float | None]:
    """The reference's results, element by element; None where it makes no claim."""
    try:
        found = _reference(op, [_float64(array) for array in arrays], params)
    except Unsupported:
        if len(arrays[0]) == 1:
            return [None]
        each = zip(*arrays, strict=True)
        return [_results(op, [np.array([n]) for n in row], params)[0] for row in each]
    return [float(number) for number in np.real(np.asarray(found))]


def _disagreements(op: str, arrays: list[Any], params: dict[str, Any]) -> list[Any]:
    """Where the reference is far off, a ball is not narrow, or one says that nobody knows."""
    (found,) = enclose(op, arrays, params, format="float64")
    results = _results(op, arrays, params)
    known = np.array([result is not None for result in results])
    told = np.array([not isinstance(truth, Open) for truth in found.elements])
    answers = np.array([0.0 if result is None else result for result in results])
    errors = unit_errors(answers, found).upper
    # A sum of a scale and an offset may cancel, which is no doubt about what is meant.
    units = np.inf if op.endswith("Rescaling") or op in _CONDITIONED else _UNITS
    costly = np.array([truth == _COSTLY for truth in found.elements])
    ordinary = ~costly & np.all([np.isfinite(array) & (array != 0) for array in arrays], axis=0)
    wrong = known & told & ~(found.settled & (errors <= units)) | known & ~told & ordinary
    return [
        ([float(array[place]) for array in arrays], found.elements[place], results[place])
        for place in np.flatnonzero(wrong)
    ]


def test_the_reference_is_a_few_units_off_functions_of_one_number() -> None:
    calls = elementwise(1)
    wrong = {str(call): _disagreements(call[0], [draws(1)], call[1]) for call in calls}
    assert len(calls) > 100
    assert not {call: found for call, found in wrong.items() if found}


#: Whose float64 reference rounds a quotient first.
_ROUNDED_FIRST = ("keras.ops.floor_divide", "keras.ops.mod")


def _pairs(op: str) -> list[Any]:
    x, y = draws(2), np.random.default_rng(3).permutation(draws(2))
    if op.endswith("ldexp"):
        y = np.random.default_rng(3).integers(-40, 40, len(x)).astype("int32")
    if op in _ROUNDED_FIRST:
        sizes = np.abs(x.astype("float64")), np.abs(y.astype("float64"))
        near = (sizes[0] < 1e6 * sizes[1]) & (sizes[0] > 1e-3 * sizes[1])
        x, y = x[near], y[near]
    return [x, y]


def test_the_reference_is_a_few_units_off_functions_of_two_numbers() -> None:
    calls = elementwise(2)
    wrong = {str(call): _disagreements(call[0], _pairs(call[0]), call[1]) for call in calls}
    assert len(calls) > 25
    assert not {call: found for call, found in wrong.items() if found}


def _apart(number: int) -> str:
    """What is wrong with a call of the table; nothing, if the reference is as near as rounding."""
    op, shapes, params, weights = WHOLE[number]
    random = np.random.default_rng(number)
    inputs = [drawn(shape, random) for shape in shapes]
    own = {name: drawn(shape, random) for name, shape in weights.items()}
    found = enclose(op, inputs, params, format="float64", weights=own)
    plain = {name: _float64(value) for name, value in own.items()}
    result = _reference(op, [_float64(item) for item in inputs], params, plain)
    results = result if isinstance(result, tuple) else (result,)
    for enclosure, expected in zip(found, results, strict=True):
        if enclosure.elements.shape != np.shape(expected):
            return f"shapes {enclosure.elements.shape} and {np.shape(expected)}"
        if not enclosure.settled.all():
            return f"not settled: {enclosure.reasons()}"
        middle = np.array([float(ball) for ball in enclosure.elements.flat])
        far = np.abs(middle - np.ravel(expected)).max(initial=0.0)
        if far > _RELATIVE * np.abs(middle).max(initial=0.0):
            return f"{far} apart"
    return ""


def test_the_reference_is_as_near_as_rounding_in_calls_on_arrays() -> None:
    wrong = {f"{number} {WHOLE[number][0]}": _apart(number) for number in range(len(WHOLE))}
    assert not {call: found for call, found in wrong.items() if found}


def test_every_formula_is_compared_with_the_reference() -> None:
    compared = {op for op, _ in (*elementwise(1), *elementwise(2))} | {op for op, *_ in WHOLE}
    compared.add("scipy.special.betainc")  # of three numbers: tests/libraries/test_special.py
    left = sorted(set(formulas()) - compared)
    # Other names, and other ranks, of what is compared.
    assert all(op.endswith(("1D", "2D", "3D")) for op in left), left
    assert set(formulas()) <= set(names())
