"""Functions of ``keras.ops`` on examples, documented or worked out by hand, by module."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call

NAN, INFINITY = float("nan"), float("inf")
SQUARE = np.arange(9).reshape(3, 3)
MATRIX = np.array([[1.0, NAN, 3.0], [NAN, 2.0, 1.0]])
COUNTED = np.arange(6.0).reshape(2, 3)


def array(*values: Any, dtype: str = "float64") -> Any:
    return np.array(values, dtype=dtype)


#: Op, inputs, parameters (arrays are keyword tensors), expected; a tuple has several outputs.
EXAMPLES: list[tuple[str, list[Any], dict[str, Any], Any]] = [
    # contractions
    ("einsum", [np.arange(25).reshape(5, 5)], {"subscripts": "ii"}, 60),
    ("einsum", [[[1, 2]], [[3], [4]]], {"subscripts": "ij,jk"}, [[11]]),
    ("tensordot", [COUNTED, COUNTED], {"axes": ((0, 1), (0, 1))}, 55),
    # core
    ("view", [array(1, 2, dtype="int32")], {"dtype": "uint8"}, [1, 0, 0, 0, 2, 0, 0, 0]),
    ("size", [COUNTED], {}, 6),
    # creation
    ("arange", [], {"start": 3, "stop": 7, "step": 2}, [3, 5]),
    ("arange", [], {"start": 3}, [0, 1, 2]),
    ("arange", [], {"start": 3, "stop": 0, "step": -1}, [3, 2, 1]),
    ("linspace", [0.0, 1.0], {"num": 3}, [0, 0.5, 1]),
    (
        "linspace",
        [0.0, [1.0, 2.0]],
        {"num": 2, "endpoint": False, "retstep": True, "axis": -1},
        ([[0, 0.5], [0, 1]], [0.5, 1]),
    ),
    ("logspace", [0.0, 2.0], {"num": 3}, [1, 10, 100]),
    ("geomspace", [1.0, 8.0], {"num": 4}, [1, 2, 4, 8]),
    ("bartlett", [], {"x": 5}, [0, 0.5, 1, 0.5, 0]),
    ("hamming", [], {"x": 5}, [0.08, 0.54, 1, 0.54, 0.08]),
    ("hanning", [], {"x": 5}, [0, 0.5, 1, 0.5, 0]),
    ("blackman", [], {"x": 5}, [0, 0.34, 1, 0.34, 0]),
    ("kaiser", [], {"x": 3, "beta": 14.0}, [7.726866835270368e-06, 1, 7.726866835270368e-06]),
    ("eye", [], {"N": 2, "M": 3, "k": 1}, [[0, 1, 0], [0, 0, 1]]),
    ("full", [], {"shape": (1, 2), "fill_value": 2.5, "dtype": "int32"}, [[2, 2]]),
    ("full_like", [np.array([1, 2], "uint8")], {"fill_value": 2.5}, [2, 2]),
    ("vander", [array(1, 2, 3, 5)], {"N": 3}, [[1, 1, 1], [4, 2, 1], [9, 3, 1], [25, 5, 1]]),
    ("meshgrid", [array(1, 2), array(4, 5, 6)], {}, ([[1, 2]] * 3, [[4, 4], [5, 5], [6, 6]])),
    # cumulative
    ("cumsum", [[[1, 2], [3, 4]]], {"axis": None}, [1, 3, 6, 10]),
    ("cumsum", [np.array([100, 100], "int8")], {}, [100, -56]),
    ("cumsum", [np.array([100, 100], "int8")], {"dtype": "float32"}, [100, 200]),
    ("cumprod", [[[1.0, 2.0], [3.0, 4.0]]], {"axis": -1}, [[1, 2], [3, 12]]),
    ("diff", [[1, 2, 4, 7, 0]], {"n": 2}, [1, 1, -10]),
    ("diff", [[[1, 3, 6, 10], [0, 5, 6, 8]]], {"axis": 0}, [[-1, 2, 0, -2]]),
    ("diff", [[1, 2]], {"n": 3}, np.zeros((0,))),
    ("nancumsum", [MATRIX], {}, [1, 1, 4, 4, 6, 7]),
    ("nancumprod", [MATRIX], {"axis": 1}, [[1, 1, 3], [1, 2, 2]]),
    ("trapezoid", [array([1, 2, 3], [4, 5, 6])], {"axis": 1}, [4, 10]),
    ("nancumsum", [array(1, NAN, INFINITY)], {}, [1, 1, INFINITY]),
    # diagonals
    ("diag", [SQUARE], {"k": 1}, [1, 5]),
    ("diag", [[7, 8]], {"k": -1}, [[0, 0, 0], [7, 0, 0], [0, 8, 0]]),
    ("diagonal", [np.arange(8).reshape(2, 2, 2)], {}, [[0, 6], [1, 7]]),
    ("diagflat", [[[1, 2]]], {}, [[1, 0], [0, 2]]),
    ("tril", [array([NAN, INFINITY], [1, 2])], {"k": -1}, [[0, 0], [1, 0]]),
    ("triu", [array([1, 2], [NAN, 3])], {}, [[1, 2], [0, 3]]),
    ("tri", [], {"N": 2, "M": 3, "k": 1}, [[1, 1, 0], [1, 1, 1]]),
    ("trace", [array([1, 2, 3], [4, 5, 6])], {"offset": 1}, 8),
    # elementwise
    ("fabs", [np.array([-1, 2])], {}, [1, 2]),
    ("clip", [np.array([1, 5, 200], "uint8")], {"x_min": -1, "x_max": 4}, [1, 4, 4]),
    ("divide_no_nan", [[1.0, 0.0, 2.0], [0.0, 0.0, 4.0]], {}, [0, 0, 0.5]),
    ("floor_divide", [[-7, 7], [2, 2]], {}, [-4, 3]),
    ("floor_divide", [[-7.0, 7.0], [2.0, 2.0]], {}, [-4, 3]),
    ("fmod", [[-7.0, 7.0], [3.0, -3.0]], {}, [-1, 1]),
    ("fmax", [[2.0, NAN, NAN], [1.0, 4.0, NAN]], {}, [2, 4, NAN]),
    ("gcd", [np.array([-4, 0]), np.array([6, 5])], {}, [2, 5]),
    ("lcm", [np.array([2, 3, 4]), np.array([5, 6, 7])], {}, [10, 6, 28]),
    ("ldexp", [[0.75, 1.5], np.array([1, 2])], {}, [1.5, 6]),
    ("heaviside", [[-2.0, 0.0, 3.0], [0.5]], {}, [0, 0.5, 1]),
    ("logaddexp2", [[1, 2, 3], [1, 2, 3]], {}, [2, 3, 4]),
    ("arctan2", [[0.0, 0.0, INFINITY], [0.0, -0.0, INFINITY]], {}, [0, np.pi, np.pi / 4]),
    ("isclose", [[1.0, NAN], [1.001, NAN]], {"rtol": 0.01, "equal_nan": True}, [True, True]),
    ("allclose", [[1.0, NAN], [1.0, NAN]], {}, False),
    ("array", [[0.0, -0.0, NAN]], {"dtype": "bool"}, [False, False, True]),
    ("angle", [[2.0, -2.0]], {}, [0, np.pi]),
    ("bitwise_not", [np.array([0, 5])], {}, [-1, -6]),
    ("bitwise_right_shift", [np.array([-8]), np.array([1])], {}, [-4]),
    ("sinc", [array(0, 1, 2)], {}, [1, 0, 0]),
    ("trunc", [array(-1.7, -0.2, 1.5)], {}, [-1, 0, 1]),
    ("nextafter", [array(1, 1), array(2, 0)], {}, [1 + 2.0**-23, 1 - 2.0**-24]),
    ("rad2deg", [array(0, np.pi)], {}, [0, 180]),
    ("mod", [array(-5, 5, 5), array(3, -3, INFINITY)], {}, [1, -1, 5]),
    ("round", [array(0.5, 1.5, -2.5)], {}, [0, 2, -2]),
    ("round", [array(14, 26, dtype="int32")], {"decimals": -1}, [10, 30]),
    ("right_shift", [array(-5, 9, dtype="int32"), array(1, 2, dtype="int32")], {}, [-3, 2]),
    ("signbit", [array(0.0, -0.0, -3)], {}, [False, True, True]),
    ("nan_to_num", [array(NAN, INFINITY, 1)], {"nan": 5.0, "posinf": 7}, [5, 7, 1]),
    # indexing
    ("get_item", [SQUARE], {"key": (None, -1)}, [[6, 7, 8]]),
    ("take", [COUNTED, array(-1, 0, dtype="int32")], {}, [5, 0]),
    ("take", [COUNTED, array(2, dtype="int32")], {"axis": 1}, [[2], [5]]),
    ("unravel_index", [array(5, dtype="int32")], {"shape": (3, 3)}, ([1], [2])),
    ("nonzero", [array([0, 2], [NAN, 0])], {}, ([0, 1], [1, 0])),
    ("where", [array(True, False, True, dtype="bool")], {}, ([0, 2],)),
    # joining
    ("append", [[1, 2, 3], [[4, 5, 6], [7, 8, 9]]], {}, list(range(1, 10))),
    # linalg
    ("slogdet", [array([0, 2], [3, 0])], {}, (-1, np.log(6))),
    # products
    ("dot", [[[1, 2]], [[[1], [2]], [[3], [4]]]], {}, [[[5], [11]]]),
    ("inner", [[[1, 2], [3, 4]], [1, 1]], {}, [3, 7]),
    ("kron", [[1, 10], [1, 2]], {}, [1, 2, 10, 20]),
    ("cross", [[1, 0, 0], [0, 1, 0]], {}, [0, 0, 1]),
    ("cross", [[1, 2], [3, 4]], {}, -2),
    ("cross", [[1, 2], [0, 0, 1]], {}, [2, -1, 0]),
    ("cross", [[[1], [0], [0]], [[0], [1], [0]]], {"axis": 0}, [[0], [0], [1]]),
    ("correlate", [[1.0, 2, 3], [0.0, 1, 0.5]], {}, [3.5]),
    ("correlate", [[1.0, 2, 3], [0.0, 1, 0.5]], {"mode": "same"}, [2, 3.5, 3]),
    ("matmul", [array(1, 2), array([1, 2, 3], [4, 5, 6])], {}, [9, 12, 15]),
    ("vdot", [COUNTED, COUNTED.reshape(3, 2)], {}, 55),
    ("outer", [array(1, 2), array(3, 4, 5)], {}, [[3, 4, 5], [6, 8, 10]]),
    # rearranging
    ("fliplr", [[[1, 2], [3, 4]]], {}, [[2, 1], [4, 3]]),
    ("flipud", [[[1, 2], [3, 4]]], {}, [[3, 4], [1, 2]]),
    # reductions
    ("all", [[[True, False], [True, True]]], {"axis": 0}, [True, False]),
    ("all", [[[True, False], [True, True]]], {"keepdims": True}, [[False]]),
    ("any", [[[0.0, NAN], [0.0, 0.0]]], {"axis": 1}, [True, False]),
    ("amax", [[[1.0, NAN], [2.0, 3.0]]], {"axis": (0,)}, [2, NAN]),
    ("argmax", [[[0, 1, 2], [5, 4, 3]]], {"axis": 1, "keepdims": True}, [[2], [0]]),
    ("count_nonzero", [[[0, 1, 7, 0], [3, 0, 2, 19]]], {"axis": 0}, [1, 1, 2, 1]),
    ("nansum", [MATRIX], {"axis": 1}, [4, 3]),
    ("nanprod", [MATRIX], {"axis": 1, "keepdims": True}, [[3], [2]]),
    ("nanmax", [MATRIX], {"axis": 1}, [3, 2]),
    ("nanmin", [MATRIX], {}, 1),
    ("nanmean", [MATRIX], {}, 1.75),
    ("nanvar", [MATRIX], {}, 0.6875),
    ("nanstd", [MATRIX], {"axis": 1}, [1, 0.5]),
    ("ptp", [array([1, 3, 2], [4, 0, 5])], {"axis": 1}, [2, 5]),
    ("nanmax", [array([NAN, NAN], [NAN, -1])], {"axis": 1}, [NAN, -1]),
    ("nanvar", [array(INFINITY, 1)], {}, NAN),
    ("prod", [array(200, 2, dtype="uint8")], {}, 400),
    # repetition
    ("repeat", [array(7, 8, 9)], {"repeats": (2, 0, 1)}, [7, 7, 9]),
    ("tile", [array(1, 2)], {"repeats": (2, 1)}, [[1, 2], [1, 2]]),
    # reshaping
    ("broadcast_to", [[1, 2]], {"shape": (2, 2)}, [[1, 2], [1, 2]]),
    # sorting
    ("argsort", [[[0, 3], [3, 2], [4, 5]]], {"axis": 0}, [[0, 1], [1, 0], [2, 2]]),
    ("argsort", [[[4, 3], [1, 2]]], {"axis": None}, [2, 3, 1, 0]),
    ("isin", [[0, 1, 2, 5], [0, 2]], {}, [True, False, True, False]),
    ("isin", [[0.0, NAN], [NAN, 0.0]], {"invert": True}, [False, True]),
    ("searchsorted", [array(1, 2, 2, 3), array([2.0, 9])], {"side": "right"}, [[3, 4]]),
    ("sort", [array(3, -INFINITY, 1)], {"axis": None}, [-INFINITY, 1, 3]),
    ("sort", [array(NAN, 1)], {}, [1, NAN]),
    ("searchsorted", [array(1, 2), array(NAN)], {}, [2]),
    (
        "unique",
        [array(3, 1, 2, 1, dtype="int32")],
        {"size": 5, "fill_value": 0, "return_counts": True},
        ([1, 2, 3, 0, 0], [2, 1, 1, 0, 0]),
    ),
    (
        "unique",
        [array([1, 0, 0], [0, 1, 0], [1, 0, 0], dtype="int32")],
        {"axis": 0, "return_inverse": True},
        ([[0, 1, 0], [1, 0, 0]], [1, 0, 1]),
    ),
    # splitting
    ("array_split", [np.arange(4)], {"indices_or_sections": 3}, ([0, 1], [2], [3])),
    ("hsplit", [np.arange(4)], {"indices_or_sections": (1, 3)}, ([0], [1, 2], [3])),
    ("split", [array(1, 2, 3)], {"indices_or_sections": (1, 1)}, ([1], [], [2, 3])),
    # statistics
    ("average", [[1, 2, 3, 4]], {}, 2.5),
    ("average", [np.arange(1, 11)], {"weights": np.arange(10, 0, -1)}, 4.0),
    (
        "average",
        [np.arange(6).reshape(3, 2)],
        {"axis": 1, "weights": np.array([0.25, 0.75])},
        [0.75, 2.75, 4.75],
    ),
    ("bincount", [np.array([1, 2, 2, 3])], {"minlength": 6}, [0, 1, 2, 1, 0, 0]),
    (
        "bincount",
        [np.array([1, 2, 2, 3])],
        {"weights": np.array([0.5, 1, 1, 1.5])},
        [0, 0.5, 2, 1.5],
    ),
    ("digitize", [[0.0, 1.0, 3.0, 1.6]], {"bins": (0.0, 3.0, 4.5, 7.0)}, [1, 1, 2, 1]),
    ("histogram", [[0.0, 1.0, 4.0]], {"bins": 2}, ([2, 1], [0, 2, 4])),
    ("histogram", [[0.0, 1.0, 4.0]], {"bins": 1, "range": (0.0, 2.0)}, ([2], [0, 2])),
    ("corrcoef", [[[1.0, 2, 3], [3.0, 2, 1]]], {}, [[1, -1], [-1, 1]]),
    ("corrcoef", [[[1.0, 2, 4]]], {}, [[1]]),
    ("nanmedian", [MATRIX], {"axis": 1}, [2, 1.5]),
    ("percentile", [array(1, 2, 3, 4)], {"q": (25, 75)}, [1.75, 3.25]),
    ("nanquantile", [array(1, 2, NAN, 4)], {"q": 0.5}, 2),
    ("median", [array(4, 1, 3, 2)], {}, 2.5),
    ("median", [array(1, NAN, 2)], {}, NAN),
    ("median", [array(1, INFINITY, INFINITY)], {}, INFINITY),
    ("median", [COUNTED.reshape(1, 2, 3)], {"axis": (0, 2), "keepdims": True}, [[[1], [4]]]),
    ("quantile", [array(1, 2, 4, 8, 16)], {"q": 0.25, "method": "midpoint"}, 2),
    ("quantile", [array(1, 3)], {"q": 0.25, "method": "higher"}, 3),
    ("quantile", [array(1, 3)], {"q": (0.25, 0.75), "method": "nearest"}, [1, 3]),
]
#: Where the documentation makes no claim.
UNDOCUMENTED: list[tuple[str, list[Any], dict[str, Any]]] = [
    # core
    ("view", [COUNTED], {"dtype": "int32"}),
    # creation
    ("linspace", [0.0, 1.0], {"num": 1, "retstep": True}),
    # elementwise
    ("floor_divide", [[1.0], [0.0]], {}),
    ("heaviside", [[NAN], [1.0]], {}),
    ("mod", [array(1, dtype="int32"), array(0, dtype="int32")], {}),
    ("round", [array(0.25)], {"decimals": 1}),
    ("nan_to_num", [array(INFINITY)], {}),
    # indexing
    ("take", [COUNTED, array(6, dtype="int32")], {}),
    # reductions
    ("argmax", [[1.0, 1.0]], {}),
    ("argmin", [[NAN, 1.0]], {}),
    ("nanargmax", [array(1, 1)], {}),
    ("nanargmin", [array([NAN, NAN])], {"axis": 1}),
    # sorting
    ("argsort", [[1, 1]], {}),
    ("unique", [array(NAN, 1)], {}),
    # statistics
    ("average", [[1.0, 2.0]], {"weights": np.array([1.0, -1.0])}),
    ("digitize", [[NAN]], {"bins": (0.0,)}),
    ("histogram", [[1.0, INFINITY]], {}),
    ("quantile", [array(1, 2)], {"q": 0.5, "method": "nearest"}),
    ("quantile", [array(1, INFINITY)], {"q": 0.5}),
]
#: What the documentation excludes.
REFUSED: list[tuple[str, list[Any], dict[str, Any]]] = [
    # creation
    ("linspace", [0.0, 1.0], {"num": -1}),
    ("vander", [array(1, 2)], {"N": -1}),
    # diagonals
    ("tril", [COUNTED], {"k": 1.5}),
    # indexing
    ("unravel_index", [array(0, dtype="int32")], {"shape": (-1, 2)}),
    # products
    ("correlate", [[1.0], [1.0]], {"mode": "circular"}),
    ("cross", [[1.0], [1.0]], {}),
    # sorting
    ("searchsorted", [array(1, 2), array(1)], {"side": "middle"}),
    ("unique", [array(1, 2)], {"size": -1}),
    # splitting
    ("split", [array(1, 2)], {"indices_or_sections": 0}),
    # statistics
    ("average", [[[1.0, 2.0]]], {"weights": np.array([1.0, 1.0])}),
    ("digitize", [[1.0]], {"bins": ((0.0, 1.0),)}),
    ("quantile", [array(1, 2)], {"q": 1.5}),
    ("quantile", [array(1, 2)], {"q": 0.3, "method": "cubic"}),
]


def run(op: str, inputs: list[Any], params: dict[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        return call(op, *inputs, **params)


@pytest.mark.parametrize(
    ("op", "inputs", "params", "expected"),
    EXAMPLES,
    ids=[f"{op}-{place}" for place, (op, *_) in enumerate(EXAMPLES)],
)
def test_gives_what_the_documentation_says(
    op: str, inputs: list[Any], params: dict[str, Any], expected: Any
) -> None:
    result = run(op, inputs, params)
    parts = result if isinstance(result, tuple) else (result,)
    wanted = expected if isinstance(expected, tuple) else (expected,)
    for part, value in zip(parts, wanted, strict=True):
        np.testing.assert_allclose(part, value, rtol=1e-15, atol=1e-15)
        assert np.shape(part) == np.shape(value)


def test_select_takes_the_first_condition_that_holds() -> None:
    x = np.arange(6.0)
    found = call("select", [x < 3, x > 3], [x, x**2], default=42)
    np.testing.assert_array_equal(found, [0, 1, 2, 42, 16, 25])


@pytest.mark.parametrize(("op", "inputs", "params"), UNDOCUMENTED)
def test_makes_no_claim_where_the_documentation_makes_none(
    op: str, inputs: list[Any], params: dict[str, Any]
) -> None:
    with pytest.raises(Unsupported):
        run(op, inputs, params)


@pytest.mark.parametrize(("op", "inputs", "params"), REFUSED)
def test_refuses_what_the_documentation_excludes(
    op: str, inputs: list[Any], params: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        run(op, inputs, params)
