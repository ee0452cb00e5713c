"""The NumPy namespace of ``keras.ops`` from a to l, on documented and hand-computed examples."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Operation, Unsupported

INFINITY, NAN = float("inf"), float("nan")
SQUARE = np.arange(9).reshape(3, 3)

#: Op, inputs, parameters, expected. The first of each group is printed in Keras' documentation.
EXAMPLES: list[tuple[str, list[Any], dict[str, Any], Any]] = [
    ("fabs", [np.array([-1, 2])], {}, [1, 2]),
    ("all", [[[True, False], [True, True]]], {"axis": 0}, [True, False]),
    ("all", [[[True, False], [True, True]]], {"keepdims": True}, [[False]]),
    ("any", [[[0.0, NAN], [0.0, 0.0]]], {"axis": 1}, [True, False]),
    ("amax", [[[1.0, NAN], [2.0, 3.0]]], {"axis": (0,)}, [2, NAN]),
    ("argmax", [[[0, 1, 2], [5, 4, 3]]], {"axis": 1, "keepdims": True}, [[2], [0]]),
    ("argsort", [[[0, 3], [3, 2], [4, 5]]], {"axis": 0}, [[0, 1], [1, 0], [2, 2]]),
    ("argsort", [[[4, 3], [1, 2]]], {"axis": None}, [2, 3, 1, 0]),
    ("average", [[1, 2, 3, 4]], {}, 2.5),
    ("average", [np.arange(1, 11)], {"weights": np.arange(10, 0, -1)}, 4.0),
    (
        "average",
        [np.arange(6).reshape(3, 2)],
        {"axis": 1, "weights": np.array([0.25, 0.75])},
        [0.75, 2.75, 4.75],
    ),
    ("count_nonzero", [[[0, 1, 7, 0], [3, 0, 2, 19]]], {"axis": 0}, [1, 1, 2, 1]),
    ("cumsum", [[[1, 2], [3, 4]]], {"axis": None}, [1, 3, 6, 10]),
    ("cumsum", [np.array([100, 100], "int8")], {}, [100, -56]),
    ("cumsum", [np.array([100, 100], "int8")], {"dtype": "float32"}, [100, 200]),
    ("cumprod", [[[1.0, 2.0], [3.0, 4.0]]], {"axis": -1}, [[1, 2], [3, 12]]),
    ("diff", [[1, 2, 4, 7, 0]], {"n": 2}, [1, 1, -10]),
    ("diff", [[[1, 3, 6, 10], [0, 5, 6, 8]]], {"axis": 0}, [[-1, 2, 0, -2]]),
    ("diff", [[1, 2]], {"n": 3}, np.zeros((0,))),
    ("append", [[1, 2, 3], [[4, 5, 6], [7, 8, 9]]], {}, list(range(1, 10))),
    ("array_split", [np.arange(4)], {"indices_or_sections": 3}, ([0, 1], [2], [3])),
    ("hsplit", [np.arange(4)], {"indices_or_sections": (1, 3)}, ([0], [1, 2], [3])),
    ("diag", [SQUARE], {"k": 1}, [1, 5]),
    ("diag", [[7, 8]], {"k": -1}, [[0, 0, 0], [7, 0, 0], [0, 8, 0]]),
    ("diagonal", [np.arange(8).reshape(2, 2, 2)], {}, [[0, 6], [1, 7]]),
    ("diagflat", [[[1, 2]]], {}, [[1, 0], [0, 2]]),
    ("broadcast_to", [[1, 2]], {"shape": (2, 2)}, [[1, 2], [1, 2]]),
    ("fliplr", [[[1, 2], [3, 4]]], {}, [[2, 1], [4, 3]]),
    ("flipud", [[[1, 2], [3, 4]]], {}, [[3, 4], [1, 2]]),
    ("get_item", [SQUARE], {"key": (None, -1)}, [[6, 7, 8]]),
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
    ("isin", [[0, 1, 2, 5], [0, 2]], {}, [True, False, True, False]),
    ("isin", [[0.0, NAN], [NAN, 0.0]], {"invert": True}, [False, True]),
    ("dot", [[[1, 2]], [[[1], [2]], [[3], [4]]]], {}, [[[5], [11]]]),
    ("inner", [[[1, 2], [3, 4]], [1, 1]], {}, [3, 7]),
    ("kron", [[1, 10], [1, 2]], {}, [1, 2, 10, 20]),
    ("cross", [[1, 0, 0], [0, 1, 0]], {}, [0, 0, 1]),
    ("cross", [[1, 2], [3, 4]], {}, -2),
    ("cross", [[1, 2], [0, 0, 1]], {}, [2, -1, 0]),
    ("cross", [[[1], [0], [0]], [[0], [1], [0]]], {"axis": 0}, [[0], [0], [1]]),
    ("einsum", [np.arange(25).reshape(5, 5)], {"subscripts": "ii"}, 60),
    ("einsum", [[[1, 2]], [[3], [4]]], {"subscripts": "ij,jk"}, [[11]]),
    ("correlate", [[1.0, 2, 3], [0.0, 1, 0.5]], {}, [3.5]),
    ("correlate", [[1.0, 2, 3], [0.0, 1, 0.5]], {"mode": "same"}, [2, 3.5, 3]),
    ("corrcoef", [[[1.0, 2, 3], [3.0, 2, 1]]], {}, [[1, -1], [-1, 1]]),
    ("corrcoef", [[[1.0, 2, 4]]], {}, [[1]]),
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
    ("kaiser", [], {"x": 3, "beta": 14.0}, [7.7268669e-06, 1, 7.7268669e-06]),
    ("eye", [], {"N": 2, "M": 3, "k": 1}, [[0, 1, 0], [0, 0, 1]]),
    ("full", [], {"shape": (1, 2), "fill_value": 2.5, "dtype": "int32"}, [[2, 2]]),
    ("full_like", [np.array([1, 2], "uint8")], {"fill_value": 2.5}, [2, 2]),
]


def run(op: str, inputs: list[Any], params: dict[str, Any]) -> Any:
    """The op on arrays; parameters that are arrays are keyword arguments of the call."""
    tensors = {key: value for key, value in params.items() if isinstance(value, np.ndarray)}
    others = {key: value for key, value in params.items() if key not in tensors}
    with np.errstate(all="ignore"):
        operation = Operation(f"keras.ops.{op}", others)
        return operation.run([np.asarray(item) for item in inputs], tensors, {}, False)[0]


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
        np.testing.assert_allclose(part, value, rtol=1e-6, atol=1e-12)
        assert np.shape(part) == np.shape(value)


@pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        ("argmax", [[1.0, 1.0]], {}),
        ("argmin", [[NAN, 1.0]], {}),
        ("argsort", [[1, 1]], {}),
        ("average", [[1.0, 2.0]], {"weights": np.array([1.0, -1.0])}),
        ("digitize", [[NAN]], {"bins": (0.0,)}),
        ("histogram", [[1.0, INFINITY]], {}),
        ("floor_divide", [[1.0], [0.0]], {}),
        ("linspace", [0.0, 1.0], {"num": 1, "retstep": True}),
        ("heaviside", [[NAN], [1.0]], {}),
    ],
)
def test_makes_no_claim_where_the_documentation_makes_none(
    op: str, inputs: list[Any], params: dict[str, Any]
) -> None:
    with pytest.raises(Unsupported):
        run(op, inputs, params)


@pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        ("average", [[[1.0, 2.0]]], {"weights": np.array([1.0, 1.0])}),
        ("correlate", [[1.0], [1.0]], {"mode": "circular"}),
        ("cross", [[1.0], [1.0]], {}),
        ("linspace", [0.0, 1.0], {"num": -1}),
        ("digitize", [[1.0]], {"bins": ((0.0, 1.0),)}),
    ],
)
def test_refuses_what_the_documentation_excludes(
    op: str, inputs: list[Any], params: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        run(op, inputs, params)
