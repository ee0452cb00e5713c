"""Inputs and outputs of two files: matched by name, order or shape, or refused."""

import numpy as np
import pytest

from assay.ir.check import TensorSpec
from assay.models import ModelError
from assay.models.matching import Matching, matched

FILES = ("b.onnx", "a.keras")


def spec(name: str, *shape: int | None, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(name, shape, dtype)


def inputs(wanted: list[TensorSpec], given: list[TensorSpec]) -> Matching:
    return matched(wanted, given, "inputs", FILES)


def test_names_win_over_order() -> None:
    found = inputs([spec("b:0", 1), spec("serving_default_a", 1)], [spec("a", 1), spec("b", 1)])
    assert (found.how, [link.source for link in found.links]) == ("name", [1, 0])
    assert found.told("wanted") == "by name: b → b:0, a → serving_default_a"


def test_other_names_are_matched_by_order_and_said() -> None:
    found = inputs([spec("x", None, 3)], [spec("image", None, 3)])
    assert found.told("wanted") == "by order: image → x"
    assert found.told("given") == "by order: x → image"


def test_what_order_does_not_fit_is_matched_by_shape() -> None:
    found = inputs([spec("p", 2), spec("q", 5)], [spec("a", 5), spec("b", 2)])
    assert found.told("wanted") == "by shape: b → p, a → q"


@pytest.mark.parametrize(
    ("wanted", "given"),
    [((None, 3, 8, 6), (None, 8, 6, 3)), ((None, 3, None, None), (None, None, None, 3))],
)
def test_channels_are_moved(wanted: tuple[int | None, ...], given: tuple[int | None, ...]) -> None:
    found = inputs([spec("x", *wanted)], [spec("x", *given)])
    array = np.random.default_rng(0).random((2, 8, 6, 3), "float32")
    (made,) = found.made([array])
    np.testing.assert_array_equal(made, array.transpose(0, 3, 1, 2))
    assert found.told("wanted") == "by name: x → x (channels last → first)"
    back = inputs([spec("x", *given)], [spec("x", *wanted)])
    np.testing.assert_array_equal(back.made([made])[0], array)
    assert back.told("wanted") == "by name: x → x (channels first → last)"


def test_sizes_that_fit_as_they_are_stay_as_they_are() -> None:
    (link,) = inputs([spec("x", None, 3, 3, 3)], [spec("x", None, 3, 3, 3)]).links
    assert link.axes == ()


def test_one_instance_at_a_time_is_seen() -> None:
    assert inputs([spec("x", 1, 3)], [spec("x", None, 3)]).singly
    assert not inputs([spec("x", None, 3)], [spec("x", 1, 3)]).singly


def test_quantised_numbers_stand_for_real_ones() -> None:
    whole = TensorSpec("x", (None, 2), "int8", 0.5, 3)
    real = np.array([[1.0, -200.0]], "float32")
    to_whole = inputs([whole], [spec("x", None, 2)])
    (made,) = to_whole.made([real])
    np.testing.assert_array_equal(made, np.array([[5, -128]], "int8"))
    assert to_whole.told("wanted") == "by name: x → x (quantised)"
    (back,) = inputs([spec("x", None, 2)], [whole]).made([made])
    np.testing.assert_array_equal(back, np.array([[1.0, -65.5]], "float32"))


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ([spec("x", 3)], [spec("x", 4)]),
        ([spec("x", 3)], [spec("x", 3), spec("y", 3)]),
        ([spec("x", 3)], [spec("x", 3, 3)]),
        ([spec("x", 4, 3)], [spec("x", 2, 3)]),
        ([spec("x", 3, dtype="int64")], [spec("x", 3)]),
        ([spec("p", 2), spec("q", 5)], [spec("a", 5), spec("b", 5)]),
    ],
)
def test_what_is_not_clear_is_refused(wanted: list[TensorSpec], given: list[TensorSpec]) -> None:
    with pytest.raises(ModelError, match=r"the inputs of a\.keras and b\.onnx do not match"):
        inputs(wanted, given)


@pytest.mark.parametrize(
    ("wanted", "given", "told"),
    [
        ("key query_1", "query key", "by name: query → query_1"),
        ("key q", "query key", "by name, then order: query → q"),
        # Counters that were moved on contradict nothing.
        ("dense_1 dense_2", "dense dense_1", "by order: dense → dense_1, dense_1 → dense_2"),
        ("key q_2 q_3", "q_1 q_2 key", "by name, then order: q_1 → q_2, q_2 → q_3"),
    ],
)
def test_names_that_contradict_the_order_come_first(wanted: str, given: str, told: str) -> None:
    one, two = ([spec(name, None, 4) for name in side.split()] for side in (wanted, given))
    assert inputs(one, two).told("wanted") == told


def test_names_come_before_the_shapes_of_the_rest() -> None:
    wanted = [spec("q", None, 4), spec("x", None, 4), spec("r", None, 5)]
    given = [spec("b", None, 5), spec("x", None, 4), spec("a", None, 4)]
    assert inputs(wanted, given).told("wanted") == "by name, then shape: a → q, b → r"


def test_an_order_that_names_contradict_is_refused_if_they_do_not_tell() -> None:
    wanted = [spec(name, None, 4) for name in ("k2", "q_2", "q_1")]
    given = [spec(name, None, 4) for name in ("q_1", "q_2", "k")]
    with pytest.raises(ModelError, match="do not match by name, order or shape"):
        inputs(wanted, given)


def test_answers_keep_the_range_of_their_own_type() -> None:
    wide = np.array([[1.0, 1.0001, 7e4, 1e-9, np.inf, np.nan]], "float32")
    (answered,) = inputs([spec("x", 1, 6, dtype="float16")], [spec("x", 1, 6)]).answered([wide])
    # Digits that float16 does not have are left out; what it has no number for stays.
    expected = np.array([[1.0, 1.0, 7e4, 1e-9, np.inf, np.nan]], "float32")
    np.testing.assert_array_equal(answered, expected)
    whole = np.array([2**40 + 1])
    links = inputs([spec("x", 1, dtype="int32")], [spec("x", 1, dtype="int64")])
    np.testing.assert_array_equal(links.answered([whole])[0], whole)
    assert links.made([whole])[0].dtype == "int32"  # what a model is fed with


def test_complex_numbers_are_their_parts_along_a_last_axis() -> None:
    numbers = np.array([[1 + 2j, 3 - 4j]], "complex64")
    parts = np.array([[[1, 2], [3, -4]]], "float32")
    one, two = spec("x", None, 2, dtype="complex64"), spec("x", None, 2, 2)
    np.testing.assert_array_equal(inputs([two], [one]).made([numbers])[0], parts)
    np.testing.assert_array_equal(inputs([one], [two]).made([parts])[0], numbers)
    np.testing.assert_array_equal(inputs([two], [one]).answered([numbers])[0], parts)
    with pytest.raises(ModelError):
        inputs([spec("x", None, 2)], [one])


def test_formats_that_spell_a_name_differently_mean_the_same() -> None:
    wanted = [spec(f"call:{place}", None, 8) for place in (2, 1, 0)]
    given = [spec(f"call_{place}", None, 8) for place in (0, 1, 2)]
    found = inputs(wanted, given)
    assert (found.how, [link.source for link in found.links]) == ("name", [2, 1, 0])
