"""Arrays written as code are read back to the bit."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from assay.ir import Array, Integers, Uniform
from assay.reproduce.literals import array_code, is_class, value_code, wrapped

DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "uint64", "bool")


def read(code: str) -> Any:
    # Wrapped as a script has it.
    namespace: dict[str, Any] = {"np": np}
    exec(wrapped(f"value = {code}"), namespace)
    return namespace["value"]


def same(first: Array, second: Array) -> bool:
    numbers = np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
    signs = first.dtype.kind != "f" or bool(
        ((np.signbit(first) == np.signbit(second)) | np.isnan(first)).all()
    )
    return first.dtype == second.dtype and first.shape == second.shape and numbers and signs


@given(
    st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, min_side=0, max_side=5))
    )
)
def test_any_array_comes_back(array: Array) -> None:
    assert same(read(array_code(array)), array)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_arrays_come_back(dtype: str) -> None:
    array = np.array([1 + 2j, complex(np.nan, np.inf), -0.1j], dtype)
    assert same(read(array_code(array)), array)


@pytest.mark.parametrize("recipe", [Uniform(seed=11, low=-2.0, high=3.0), Integers(5, -3, 9)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_long_arrays_are_drawn_from_their_seed(recipe: Uniform | Integers, dtype: str) -> None:
    array = recipe.materialise((4, 5, 6), dtype)
    code = array_code(array, recipe)
    assert same(read(code), array)
    if dtype != "int32" or isinstance(recipe, Integers):
        assert "RandomState" in code


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (np.zeros((2, 3), "float32"), 'np.zeros((2, 3), "float32")'),
        (np.ones((4,), "int32"), 'np.ones((4,), "int32")'),
        (np.full((5,), np.inf, "float16"), 'np.full((5,), np.inf, "float16")'),
        (np.full((5,), -0.0, "float32"), 'np.full((5,), -0.0, "float32")'),
        (np.arange(6, dtype="int32").reshape(2, 3), 'np.arange(6, dtype="int32").reshape((2, 3))'),
        (np.array([0.1, 2.0], "float32"), 'np.array([0.1, 2.0], "float32")'),
        (np.array(True), 'np.array(True, "bool")'),
    ],
)
def test_simple_arrays_are_simple_code(array: Array, code: str) -> None:
    assert array_code(array) == code


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([1, 2], "(1, 2)"),
        ([1], "(1,)"),
        ('a"b', '"a\\"b"'),
        (float("inf"), 'float("inf")'),
        ({"$op": "keras.layers.Dense", "params": {"units": 3}}, "keras.layers.Dense(units=3)"),
        ({"$op": "keras.activations.relu"}, "keras.activations.relu"),
        (None, "None"),
    ],
)
def test_parameters_as_code(value: Any, code: str) -> None:
    assert value_code(value) == code


def test_an_operator_of_tensorflow_is_called_at_once() -> None:
    assert is_class("keras.layers.Dense")
    assert not is_class("tf.raw_ops.UnsortedSegmentMax")
    assert not is_class("keras.ops.relu")
