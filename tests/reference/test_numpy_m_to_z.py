"""``keras.ops`` from m to z in the reference, on examples printed or worked out by hand."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Operation, Unsupported

NAN, INFINITY = float("nan"), float("inf")
MATRIX = np.array([[1.0, NAN, 3.0], [NAN, 2.0, 1.0]])
COUNTED = np.arange(6.0).reshape(2, 3)


def call(op: str, *inputs: Any, **params: Any) -> Any:
    with np.errstate(all="ignore"):
        return Operation("keras.ops." + op, params).run(inputs, {}, {}, False)[0]


def array(*values: Any, dtype: str = "float64") -> Any:
    return np.array(values, dtype=dtype)


@pytest.mark.parametrize(
    ("op", "inputs", "params", "expected"),
    [
        # Printed in Keras' documentation.
        ("nansum", [MATRIX], {"axis": 1}, [4, 3]),
        ("nanprod", [MATRIX], {"axis": 1, "keepdims": True}, [[3], [2]]),
        ("nanmax", [MATRIX], {"axis": 1}, [3, 2]),
        ("nanmin", [MATRIX], {}, 1),
        ("nanmean", [MATRIX], {}, 1.75),
        ("nanmedian", [MATRIX], {"axis": 1}, [2, 1.5]),
        ("nanvar", [MATRIX], {}, 0.6875),
        ("nanstd", [MATRIX], {"axis": 1}, [1, 0.5]),
        ("nancumsum", [MATRIX], {}, [1, 1, 4, 4, 6, 7]),
        ("nancumprod", [MATRIX], {"axis": 1}, [[1, 1, 3], [1, 2, 2]]),
        ("percentile", [array(1, 2, 3, 4)], {"q": (25, 75)}, [1.75, 3.25]),
        ("nanquantile", [array(1, 2, NAN, 4)], {"q": 0.5}, 2),
        ("ptp", [array([1, 3, 2], [4, 0, 5])], {"axis": 1}, [2, 5]),
        ("vander", [array(1, 2, 3, 5)], {"N": 3}, [[1, 1, 1], [4, 2, 1], [9, 3, 1], [25, 5, 1]]),
        ("trapezoid", [array([1, 2, 3], [4, 5, 6])], {"axis": 1}, [4, 10]),
        ("sinc", [array(0, 1, 2)], {}, [1, 0, 0]),
        ("trunc", [array(-1.7, -0.2, 1.5)], {}, [-1, 0, 1]),
        ("nextafter", [array(1, 1), array(2, 0)], {}, [1 + 2.0**-23, 1 - 2.0**-24]),
        ("rad2deg", [array(0, np.pi)], {}, [0, 180]),
        # Worked out.
        ("nanmax", [array([NAN, NAN], [NAN, -1])], {"axis": 1}, [NAN, -1]),
        ("nancumsum", [array(1, NAN, INFINITY)], {}, [1, 1, INFINITY]),
        ("nanvar", [array(INFINITY, 1)], {}, NAN),
        ("median", [array(4, 1, 3, 2)], {}, 2.5),
        ("median", [array(1, NAN, 2)], {}, NAN),
        ("median", [array(1, INFINITY, INFINITY)], {}, INFINITY),
        ("median", [COUNTED.reshape(1, 2, 3)], {"axis": (0, 2), "keepdims": True}, [[[1], [4]]]),
        ("quantile", [array(1, 2, 4, 8, 16)], {"q": 0.25, "method": "midpoint"}, 2),
        ("quantile", [array(1, 3)], {"q": 0.25, "method": "higher"}, 3),
        ("quantile", [array(1, 3)], {"q": (0.25, 0.75), "method": "nearest"}, [1, 3]),
        ("prod", [array(200, 2, dtype="uint8")], {}, 400),
        ("mod", [array(-5, 5, 5), array(3, -3, INFINITY)], {}, [1, -1, 5]),
        ("round", [array(0.5, 1.5, -2.5)], {}, [0, 2, -2]),
        ("round", [array(14, 26, dtype="int32")], {"decimals": -1}, [10, 30]),
        ("right_shift", [array(-5, 9, dtype="int32"), array(1, 2, dtype="int32")], {}, [-3, 2]),
        ("signbit", [array(0.0, -0.0, -3)], {}, [False, True, True]),
        ("nan_to_num", [array(NAN, INFINITY, 1)], {"nan": 5.0, "posinf": 7}, [5, 7, 1]),
        ("tril", [array([NAN, INFINITY], [1, 2])], {"k": -1}, [[0, 0], [1, 0]]),
        ("triu", [array([1, 2], [NAN, 3])], {}, [[1, 2], [0, 3]]),
        ("tri", [], {"N": 2, "M": 3, "k": 1}, [[1, 1, 0], [1, 1, 1]]),
        ("trace", [array([1, 2, 3], [4, 5, 6])], {"offset": 1}, 8),
        ("matmul", [array(1, 2), array([1, 2, 3], [4, 5, 6])], {}, [9, 12, 15]),
        ("tensordot", [COUNTED, COUNTED], {"axes": ((0, 1), (0, 1))}, 55),
        ("vdot", [COUNTED, COUNTED.reshape(3, 2)], {}, 55),
        ("outer", [array(1, 2), array(3, 4, 5)], {}, [[3, 4, 5], [6, 8, 10]]),
        ("take", [COUNTED, array(-1, 0, dtype="int32")], {}, [5, 0]),
        ("take", [COUNTED, array(2, dtype="int32")], {"axis": 1}, [[2], [5]]),
        ("repeat", [array(7, 8, 9)], {"repeats": (2, 0, 1)}, [7, 7, 9]),
        ("tile", [array(1, 2)], {"repeats": (2, 1)}, [[1, 2], [1, 2]]),
        ("searchsorted", [array(1, 2, 2, 3), array([2.0, 9])], {"side": "right"}, [[3, 4]]),
        ("view", [array(1, 2, dtype="int32")], {"dtype": "uint8"}, [1, 0, 0, 0, 2, 0, 0, 0]),
        ("sort", [array(3, -INFINITY, 1)], {"axis": None}, [-INFINITY, 1, 3]),
        ("size", [COUNTED], {}, 6),
    ],
)
def test_examples(op: str, inputs: list[Any], params: dict[str, Any], expected: Any) -> None:
    np.testing.assert_allclose(call(op, *inputs, **params), expected, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize(
    ("op", "inputs", "params", "expected"),
    [
        # Printed in Keras' documentation.
        ("unravel_index", [array(5, dtype="int32")], {"shape": (3, 3)}, [[1], [2]]),
        (
            "unique",
            [array(3, 1, 2, 1, dtype="int32")],
            {"size": 5, "fill_value": 0, "return_counts": True},
            [[1, 2, 3, 0, 0], [2, 1, 1, 0, 0]],
        ),
        (
            "unique",
            [array([1, 0, 0], [0, 1, 0], [1, 0, 0], dtype="int32")],
            {"axis": 0, "return_inverse": True},
            [[[0, 1, 0], [1, 0, 0]], [1, 0, 1]],
        ),
        ("meshgrid", [array(1, 2), array(4, 5, 6)], {}, [[[1, 2]] * 3, [[4, 4], [5, 5], [6, 6]]]),
        # Worked out.
        ("split", [array(1, 2, 3)], {"indices_or_sections": (1, 1)}, [[1], [], [2, 3]]),
        ("nonzero", [array([0, 2], [NAN, 0])], {}, [[0, 1], [1, 0]]),
        ("where", [array(True, False, True, dtype="bool")], {}, [[0, 2]]),
        ("slogdet", [array([0, 2], [3, 0])], {}, [-1, np.log(6)]),
    ],
)
def test_examples_with_several_outputs(
    op: str, inputs: list[Any], params: dict[str, Any], expected: Any
) -> None:
    found = call(op, *inputs, **params)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-15)


def test_select_takes_the_first_condition_that_holds() -> None:
    x = np.arange(6.0)
    found = call("select", [x < 3, x > 3], [x, x**2], default=42)
    np.testing.assert_array_equal(found, [0, 1, 2, 42, 16, 25])


@pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        ("take", [COUNTED, array(6, dtype="int32")], {}),
        ("nanargmax", [array(1, 1)], {}),
        ("nanargmin", [array([NAN, NAN])], {"axis": 1}),
        ("mod", [array(1, dtype="int32"), array(0, dtype="int32")], {}),
        ("quantile", [array(1, 2)], {"q": 0.5, "method": "nearest"}),
        ("quantile", [array(1, INFINITY)], {"q": 0.5}),
        ("unique", [array(NAN, 1)], {}),
        ("sort", [array(NAN, 1)], {}),
        ("round", [array(0.25)], {"decimals": 1}),
        ("view", [COUNTED], {"dtype": "int32"}),
        ("nan_to_num", [array(INFINITY)], {}),
    ],
)
def test_nothing_is_claimed_where_nothing_is_documented(
    op: str, inputs: list[Any], params: dict[str, Any]
) -> None:
    with pytest.raises(Unsupported):
        call(op, *inputs, **params)


@pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        ("quantile", [array(1, 2)], {"q": 1.5}),
        ("quantile", [array(1, 2)], {"q": 0.3, "method": "cubic"}),
        ("split", [array(1, 2)], {"indices_or_sections": 0}),
        ("vander", [array(1, 2)], {"N": -1}),
        ("tril", [COUNTED], {"k": 1.5}),
        ("unravel_index", [array(0, dtype="int32")], {"shape": (-1, 2)}),
        ("searchsorted", [array(1, 2), array(1)], {"side": "middle"}),
        ("unique", [array(1, 2)], {"size": -1}),
    ],
)
def test_values_outside_of_the_documented_range_are_refused(
    op: str, inputs: list[Any], params: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        call(op, *inputs, **params)
