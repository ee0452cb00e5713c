"""Reductions of cases whose faults are plain predicates: what is needed stays, nothing else."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.ir import (
    Array,
    Case,
    Constant,
    Dot,
    Explicit,
    Graph,
    Input,
    Matrix,
    Node,
    Uniform,
    content_hash,
)
from assay.ops import specs
from assay.ops.placing import shapes_of
from assay.reduce import Reduced, Shown, reduce, size
from assay.reduce.classes import classes_of

VOCABULARY = specs()
POOL = "keras.layers.AveragePooling2D"


def pooling(shape: tuple[int, ...] = (2, 6, 7, 3), **params: Any) -> Case:
    given = params or {"pool_size": 3, "strides": 2, "padding": "same"}
    given.setdefault("pool_size", 3)
    graph = Graph((Input("x", shape),), (Node("n", POOL, ("x",), given),), ("n",))
    return Case(
        graph,
        {"x": Uniform(4, -2.0, 2.0)},
        loss=Dot((Uniform(5),)),
        training=True,
        stage="gradient",
    )


def when(holds: Callable[[Case], bool]) -> Callable[[Case], Shown | None]:
    return lambda case: Shown() if holds(case) else None


def done(case: Case, holds: Callable[[Case], bool], **options: Any) -> Reduced:
    found = reduce(case, when(holds), VOCABULARY, **options)
    assert found is not None
    return found


def test_a_case_that_does_not_show_it_is_not_reduced() -> None:
    assert reduce(pooling(), when(lambda case: False), VOCABULARY) is None


def test_a_fault_of_nothing_becomes_as_small_as_the_op_can_be() -> None:
    found = done(pooling(), lambda case: True)
    (node,) = found.case.graph.nodes
    assert found.case.graph.inputs[0].shape == (1, 1, 1, 1)
    assert node.params == {"pool_size": 1}
    assert (found.case.stage, found.case.loss, found.case.training) == ("forward", None, False)
    assert not found.case.input_arrays()["x"].any()
    assert found.calls <= 30


def test_what_the_fault_needs_stays() -> None:
    def needed(case: Case) -> bool:
        (node,) = case.graph.nodes
        x = case.input_arrays()["x"]
        return node.params.get("padding") == "same" and x.shape[1] >= 3 and (x > 0.5).any()

    found = done(pooling(), needed)
    (node,) = found.case.graph.nodes
    assert found.case.graph.inputs[0].shape == (1, 3, 1, 1)
    assert node.params == {"pool_size": 1, "padding": "same"}
    assert sorted(found.case.input_arrays()["x"].reshape(-1).tolist()) == [0, 0, 1]


@settings(max_examples=25)
@given(
    st.tuples(*[st.integers(1, 5)] * 4),
    st.dictionaries(st.sampled_from(["strides", "padding", "data_format"]), st.booleans()),
    st.integers(0, 3),
    st.integers(1, 4),
    st.booleans(),
)
def test_every_step_is_simpler_valid_and_shows_it(
    shape: tuple[int, ...], kept: dict[str, bool], axis: int, least: int, careful: bool
) -> None:
    values = {"strides": 2, "padding": "same", "data_format": "channels_last"}
    case = pooling(shape, pool_size=1, **{name: values[name] for name in kept})
    names = [name for name, needed in kept.items() if needed]
    least = min(least, shape[axis])

    def holds(candidate: Case) -> bool:
        (node,) = candidate.graph.nodes
        length = candidate.graph.inputs[0].shape[axis]
        return length >= least and all(name in node.params for name in names)

    found = done(case, holds, careful=careful)
    again = done(case, holds, careful=careful)
    assert content_hash(found) == content_hash(again)
    for before, after in pairwise((case, *found.steps)):
        assert size(after) < size(before)
        assert holds(after)
        shapes_of(after, VOCABULARY)
        if careful:
            assert classes_of(after, VOCABULARY) <= classes_of(case)
    assert found.case == (found.steps or (case,))[-1]


@pytest.mark.parametrize("calls", [1, 2, 7])
def test_the_budget_is_kept(calls: int) -> None:
    asked: list[Case] = []

    def shows(case: Case) -> Shown | None:
        asked.append(case)
        return Shown()

    found = reduce(pooling(), shows, VOCABULARY, calls=calls)
    assert found is not None
    assert len(asked) == found.calls <= calls


def test_a_careful_reduction_puts_no_zeros_ties_or_single_elements_where_none_were() -> None:
    found = done(pooling((2, 6, 7, 3), pool_size=2), lambda case: True, careful=True)
    x = found.case.input_arrays()["x"]
    assert x.shape == (1, 2, 2, 2)
    assert len(set(x.reshape(-1).tolist())) == x.size
    assert x.all()


def with_special_values() -> Case:
    case = pooling((2, 3, 4, 2), pool_size=1)
    x = case.input_arrays()["x"]
    x[0, 0, 0, 0], x[1, 2, 3, 1], x[0, 1, 1, 1] = np.nan, np.inf, -np.inf
    return Case(case.graph, {"x": Explicit(x)})


@pytest.mark.parametrize("careful", [False, True])
def test_special_values_do_not_stay_for_nothing(careful: bool) -> None:
    """The fault is one of ordinary numbers; a simpler one waits at infinity."""

    def shows(case: Case) -> bool:
        x = case.input_arrays()["x"]
        return bool((np.abs(x[np.isfinite(x)]) > 0.25).any() or np.isinf(x).any() or not x.size)

    found = done(with_special_values(), shows, careful=careful)
    assert np.isfinite(found.case.input_arrays()["x"]).all()
    assert found.case.input_arrays()["x"].size


@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize("needed", [False, True])
def test_an_empty_batch_stays_only_if_it_is_needed(needed: bool, careful: bool) -> None:
    case = pooling((0, 3, 4, 2), padding="same")

    def shows(candidate: Case) -> bool:
        (node,) = candidate.graph.nodes
        empty = 0 in candidate.graph.inputs[0].shape
        return node.params.get("padding") == "same" and (empty or not needed)

    found = done(case, shows, careful=careful)
    assert (0 in found.case.graph.inputs[0].shape) == needed
    for step in found.steps:
        assert shows(step)


def test_special_values_that_are_needed_stay() -> None:
    found = done(with_special_values(), lambda case: np.isnan(case.input_arrays()["x"]).any())
    x = found.case.input_arrays()["x"].reshape(-1)
    assert len(x) == 1
    assert np.isnan(x).all()


def test_the_spoilt_parameter_of_a_validation_keeps_its_value() -> None:
    case = pooling(pool_size=-1, strides=2, padding="same")
    found = done(case, lambda case: True, spoilt="pool_size")
    assert found.case.graph.nodes[0].params["pool_size"] == -1
    assert found.steps


def chain(*ops: str) -> tuple[Case, dict[str, Array]]:
    x = np.array([1.5, -2.0, 0.25], "float32")
    nodes = tuple(
        Node(f"n{i}", op, (f"n{i - 1}" if i else "x",), {"place": i}) for i, op in enumerate(ops)
    )
    graph = Graph((Input("x", (3,)),), nodes, (nodes[-1].id,))
    tensors = {f"n{i}": x * (i + 2) for i in range(len(ops))}
    return Case(graph, {"x": Explicit(x)}, loss=Dot((Constant(1.0),)), stage="gradient"), tensors


def test_nodes_that_are_not_needed_go_and_their_values_become_inputs() -> None:
    case, tensors = chain("a", "b", "c", "d", "e")

    def shows(candidate: Case) -> Shown | None:
        ops = [node.op for node in candidate.graph.nodes]
        return Shown(tensors) if {"b", "d"} <= set(ops) else None

    found = reduce(case, shows, VOCABULARY)
    assert found is not None
    assert [node.op for node in found.case.graph.nodes] == ["b", "d"]
    assert [item.name for item in found.case.graph.inputs] == ["x"]


def test_where_no_bypass_will_do_the_value_of_a_removed_node_becomes_an_input() -> None:
    case, tensors = chain("a", "b", "c")

    def shows(candidate: Case) -> Shown | None:
        last = candidate.graph.nodes[-1]
        given = candidate.input_arrays().get(last.inputs[0])  # type: ignore[arg-type]
        right = given is None or np.array_equal(given, tensors["n1"])
        return Shown(tensors) if last.op == "c" and right else None

    found = reduce(case, shows, VOCABULARY)
    assert found is not None
    assert [node.op for node in found.case.graph.nodes] == ["c"]
    assert [item.name for item in found.case.graph.inputs] == ["n1_"]


def test_lists_get_shorter_and_masks_go() -> None:
    x = Input("x", (2, 3))
    others = (Input("y", (2, 3)), Input("z", (2, 3)))
    node = Node("n", "keras.layers.Add", (("x", "y", "z"),))
    case = Case(
        Graph((x, *others), (node,), ("n",)), {name: Uniform(1, -1.0, 1.0) for name in "xyz"}
    )
    found = done(case, lambda case: len(case.graph.nodes[0].inputs[0]) >= 2, careful=True)
    assert found.case.graph.nodes[0].inputs == (("y", "z"),)
    assert len(found.case.graph.inputs) == 2


def test_values_stay_in_the_domain_of_the_op() -> None:
    graph = Graph((Input("x", (2, 3, 3)),), (Node("n", "keras.ops.cholesky", ("x",)),), ("n",))
    case = Case(graph, {"x": Matrix(3, "positive_definite")})
    x = done(case, lambda case: True).case.input_arrays()["x"]
    assert (np.linalg.eigvalsh(x.astype("float64")) > 0).all()


def test_what_is_unknown_to_the_vocabulary_is_reduced_by_asking() -> None:
    array = np.arange(12, dtype="float32").reshape(3, 4) / 7
    graph = Graph((Input("x", (3, 4)),), (Node("n", "mine.op", ("x",), {"k": 3, "m": 1}),), ("n",))
    case = Case(graph, {"x": Explicit(array)})
    found = done(case, lambda case: case.graph.inputs[0].shape[-1] > 1)
    assert found.case.graph.nodes[0].params == {}
    assert found.case.graph.inputs[0].shape == (2,)
    assert msgspec.structs.replace(found.case, inputs={}).stage == "forward"


def test_inputs_of_equal_shape_stay_of_equal_shape() -> None:
    inputs = (Input("x", (3, 4)), Input("y", (3, 4)))
    graph = Graph(inputs, (Node("n", "keras.ops.add", ("x", "y")),), ("n",))
    case = Case(graph, {"x": Uniform(1), "y": Uniform(2)})
    found = done(case, lambda case: case.graph.inputs[-1].shape[-1] > 1, careful=True)
    assert found.steps
    for step in found.steps:
        assert len({item.shape for item in step.graph.inputs}) == 1


def of_catalogue(arguments: dict[str, Any], **recipes: Any) -> Case:
    """A call of a catalogue on tensors of these shapes and recipes."""
    inputs = tuple(Input(name, shape, dtype) for name, (shape, dtype, _) in recipes.items())
    node = Node("call", "torch.anything", (), {}, arguments)
    drawn = {name: recipe for name, (_, _, recipe) in recipes.items()}
    return Case(Graph(inputs, (node,), ("call",)), drawn, stage="forward")


def test_a_call_of_a_catalogue_keeps_what_it_needs_and_no_argument_more() -> None:
    case = of_catalogue(
        {"0": {"$tensor": "x"}, "1": 3, "2": [5], "mode": "wrap", "sizes": [5, 7]},
        x=((5, 7), "float32", Uniform(4, 2.0, 9.0)),
    )

    def holds(candidate: Case) -> bool:
        (node,) = candidate.graph.nodes
        if "0" not in node.arguments:
            return False
        (item,) = candidate.graph.inputs
        fits = node.arguments.get("sizes") == list(item.shape)
        return fits and "1" in node.arguments and item.shape[0] > 1

    small = done(case, holds, careful=True).case
    (node,) = small.graph.nodes
    assert set(node.arguments) == {"0", "1", "sizes"}
    assert node.arguments["1"] in (0, 1)
    (item,) = small.graph.inputs
    assert node.arguments["sizes"] == list(item.shape)
    assert small.input_arrays()["x"].min() >= 2.0
    assert item.shape < (5, 7)


def test_what_a_call_of_a_catalogue_needs_as_it_is_stays_and_equal_axes_stay_equal() -> None:
    lengths = np.array([3, 2, 4])
    case = of_catalogue(
        {"0": {"$tensor": "x"}, "1": {"$tensor": "n"}, "2": {"$tensor": "w"}},
        x=((3, 6), "float32", Uniform(4)),
        n=((3,), "int64", Explicit(lengths)),
        w=((6, 4), "float32", Uniform(5)),
    )
    small = done(case, lambda candidate: len(candidate.graph.inputs) == 3, careful=True).case
    arrays = small.input_arrays()
    assert np.array_equal(arrays["n"], lengths)
    assert arrays["x"].shape[0] == 3
    assert arrays["x"].shape[1] == arrays["w"].shape[0] < 6
