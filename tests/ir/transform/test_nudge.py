"""Every number moves by about one ULP."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from assay.ir import Array, Case, Graph, Input, Node, Uniform, content_hash
from assay.ir.transform import nudged_arrays, nudged_cases
from tests.factories import case_of

FLOATS = ("float16", "float32", "float64")
COPIES = 6


@given(
    st.sampled_from(FLOATS).flatmap(
        lambda dtype: arrays_of.arrays(np.dtype(dtype), st.integers(1, 6).map(lambda n: (n,)))
    )
)
def test_every_finite_element_moves_by_about_one_ulp(array: Array) -> None:
    info = np.finfo(array.dtype)
    finite = np.isfinite(array)
    largest = np.abs(array[finite]).max() if finite.any() else array.dtype.type(1)
    for case in nudged_cases(case_of(array), COPIES):
        moved = case.input_arrays()["x0"]
        assert moved.dtype == array.dtype
        np.testing.assert_array_equal(moved[~finite], array[~finite])
        assert np.isfinite(moved[finite]).all()
        origin = np.where(array[finite] == 0, largest or 1, np.abs(array[finite]))
        origin = np.maximum(origin, info.tiny).astype(array.dtype)
        with np.errstate(over="ignore"):
            step = np.abs(moved[finite].astype("float64") - array[finite].astype("float64"))
            spacing = np.spacing(origin / 2).astype("float64") * 2
        # Only the largest number of all has no neighbour on one side.
        at_the_edge = np.abs(array[finite]) > info.max * (1 - 4 * info.eps)
        assert ((step > 0) | at_the_edge).all()
        assert (step <= 2.5 * spacing).all()


def test_nudges_differ_and_repeat() -> None:
    case = case_of(np.linspace(-1, 1, 8, dtype="float32"))
    first = [content_hash(item) for item in nudged_cases(case, COPIES)]
    assert first == [content_hash(item) for item in nudged_cases(case, COPIES)]
    assert len(set(first)) == len(first) == COPIES
    assert content_hash(case) not in first


def test_two_equal_inputs_are_nudged_apart() -> None:
    same = np.linspace(1, 2, 8, dtype="float32")
    for case in nudged_cases(case_of(same, same), COPIES):
        first, second = case.input_arrays().values()
        assert (first != second).any()


def test_whole_numbers_and_everything_else_stay() -> None:
    whole, real = np.array([1, 2, 3]), np.array([1.0], "float32")
    case = case_of(whole, real)
    for nudged in nudged_cases(case, COPIES):
        assert nudged.input_arrays()["x0"].tolist() == [1, 2, 3]
        assert nudged.input_arrays()["x1"].tolist() != [1.0]
        assert content_hash(nudged.graph) == content_hash(case.graph)
        assert nudged.weights == case.weights
    assert nudged_cases(case_of(whole, np.array([True])), COPIES) == ()


def test_nudges_are_seen_in_half_precision() -> None:
    """A float32 ULP vanishes when a layer rounds its input to float16."""
    node = Node("n", "keras.layers.Dense", ("x",), {"units": 2, "dtype": "mixed_float16"})
    told = Case(Graph((Input("x", (2, 3)),), (node,), ("n",)), {"x": Uniform(1)})
    before = told.input_arrays()["x"].astype("float16")
    moved = [item.input_arrays()["x"].astype("float16") for item in nudged_cases(told, COPIES)]
    assert all((array != before).mean() > 0.4 for array in moved)


def test_arrays_are_nudged_as_the_inputs_of_a_case_are() -> None:
    case = case_of(np.linspace(-1, 1, 8, dtype="float32"), np.array([1, 2]))
    nudged = nudged_arrays(case.input_arrays(), COPIES)
    for arrays, other in zip(nudged, nudged_cases(case, COPIES), strict=True):
        for name, array in other.input_arrays().items():
            assert array.tobytes() == arrays[name].tobytes()


def test_arrays_of_whole_numbers_stay_and_so_do_zeros() -> None:
    given = {
        "ids": np.array([0, 3, 7], "float32"),
        "x": np.array([0.0, 0.5, 3.0], "float32"),
        "large": np.array([2.0**24, 2.0**25], "float32"),
    }
    for arrays in nudged_arrays(given, COPIES):
        assert arrays["ids"].tolist() == [0, 3, 7]
        assert arrays["x"][0] == 0
        assert (arrays["x"][1:] != given["x"][1:]).all()
        assert (arrays["large"] != given["large"]).all()


def test_whole_numbers_alone_move_away_from_zero_and_remain_the_same_ids() -> None:
    given = {"ids": np.arange(-20, 20).astype("float32"), "n": np.array([4])}
    copies = nudged_arrays(given, COPIES)
    assert all((np.trunc(arrays["ids"]) == given["ids"]).all() for arrays in copies)
    assert any((arrays["ids"] != given["ids"]).any() for arrays in copies)
