"""One thing changes, everything else stays."""

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.ir import Array, Case, Constant, Dot, Explicit, Node, to_json, validate_case
from assay.ir.transform import (
    forward_only,
    reading,
    with_arrays,
    with_node,
    with_parameter,
    with_parameters,
    with_plain_upstream,
    with_values,
    without_parameters,
    without_unused_inputs,
)
from tests.factories import case_of, make_case
from tests.strategies import arrays, cases


def same(first: object, second: object) -> bool:
    """Equal as records: NaN in a parameter is equal to itself there."""
    return to_json(first) == to_json(second)


@settings(max_examples=50)
@given(cases(), arrays(), st.data())
def test_an_input_gets_another_array_and_the_others_stay(
    case: Case, array: Array, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([item.name for item in case.graph.inputs]))
    changed = validate_case(with_arrays(case, {name: array}))
    (item,) = [item for item in changed.graph.inputs if item.name == name]
    assert (item.shape, item.dtype) == (array.shape, array.dtype.name)
    assert changed.inputs[name] == Explicit(array)
    back = msgspec.structs.replace(changed, graph=case.graph, inputs=case.inputs)
    assert same(back, case)
    others = [item for item in changed.graph.inputs if item.name != name]
    assert others == [item for item in case.graph.inputs if item.name != name]


def test_other_values_leave_the_inputs_as_they_are_declared() -> None:
    case = case_of(np.zeros(2, "float32"), np.zeros(2, "int32"))
    changed = with_values(case, {"x0": np.ones(2, "float32")})
    assert changed.graph == case.graph
    assert changed.input_arrays()["x0"].tolist() == [1, 1]
    assert changed.inputs["x1"] is case.inputs["x1"]


@settings(max_examples=50)
@given(cases())
def test_inputs_that_are_read_or_given_back_are_no_unused_ones(case: Case) -> None:
    kept = validate_case(without_unused_inputs(case))
    assert same(without_unused_inputs(kept), kept)
    assert same(kept.graph.nodes, case.graph.nodes)


def test_a_node_is_replaced_by_its_id() -> None:
    case = make_case()
    (node,) = case.graph.nodes
    other = msgspec.structs.replace(node, op="keras.layers.MaxPooling2D")
    assert with_node(case, other).graph.nodes == (other,)
    assert with_node(case, msgspec.structs.replace(other, id="n9")) == case


def test_tensors_are_renamed_wherever_a_node_reads_them() -> None:
    keywords = {"mask": {"$tensor": "m"}, "masks": [{"$tensor": "m"}, None], "axis": 1}
    node = Node("n", "keras.layers.Attention", (("a", "b"), "a"), {"a": 1}, keywords)
    renamed = reading(node, {"a": "x", "m": "y"})
    assert renamed.inputs == (("x", "b"), "x")
    assert renamed.arguments == {
        "mask": {"$tensor": "y"},
        "masks": [{"$tensor": "y"}, None],
        "axis": 1,
    }
    assert renamed.params == node.params


def test_parameters_and_keyword_arguments_keep_their_places() -> None:
    case = case_of(np.zeros(2, "float32"))
    node = Node("n", "keras.ops.add", ("x0",), {"a": 1, "b": 2}, {"c": 3, "d": {"$tensor": "x0"}})
    case = with_node(case, node)
    (changed,) = with_parameter(case, node, "c", 9).graph.nodes
    assert (changed.params, changed.arguments["c"]) == (node.params, 9)
    (changed,) = with_parameter(case, node, "new", 9).graph.nodes
    assert (changed.params["new"], changed.arguments) == (9, node.arguments)
    (changed,) = with_parameters(case, node, {"a": 5}, {"e": 6}).graph.nodes
    assert changed.params == {"a": 5, "b": 2}
    assert changed.arguments == {**node.arguments, "e": 6}
    (changed,) = without_parameters(case, node, {"a", "c"}, {"c"}).graph.nodes
    assert changed.params == {"b": 2}
    assert changed.arguments == {"d": {"$tensor": "x0"}}


def test_without_a_loss_only_the_result_is_asked_for() -> None:
    asked = validate_case(forward_only(make_case()))
    assert (asked.loss, asked.stage) == (None, "forward")


def test_a_plain_upstream_gradient_is_one_for_each_output() -> None:
    plain = with_plain_upstream(make_case())
    assert plain.loss == Dot((Constant(1.0),))
    assert with_plain_upstream(forward_only(plain)) == forward_only(plain)
