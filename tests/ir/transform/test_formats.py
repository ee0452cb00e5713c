"""Formats that layers are told to compute in, and the next wider ones."""

import msgspec

from assay.ir import Case, Graph, Input, Node, Uniform
from assay.ir.transform import spacing, widened_case, with_policy


def case(dtype: str | None, inside: str | None = None) -> Case:
    params = {} if dtype is None else {"units": 2, "dtype": dtype}
    if inside is not None:
        params["layer"] = {"$op": "keras.layers.Dense", "params": {"units": 2, "dtype": inside}}
    node = Node("n", "keras.layers.Dense", ("x",), params)
    return Case(Graph((Input("x", (2, 3)),), (node,), ("n",)), {"x": Uniform(1)})


def test_the_coarsest_format_counts() -> None:
    assert spacing(case(None)) == 0.0
    assert spacing(case("float32")) == 0.0
    assert spacing(case("mixed_float16")) == 2.0**-10
    assert spacing(case("mixed_float16", inside="mixed_bfloat16")) == 2.0**-7


def test_the_wider_format_of_half_precision_is_full_precision() -> None:
    wider = widened_case(case("mixed_float16", inside="mixed_float16"))
    assert wider is not None
    assert spacing(wider) == 0.0
    assert msgspec.structs.replace(wider, graph=case(None).graph) == case(None)


def test_inputs_of_bfloat16_count_though_their_arrays_are_of_float32() -> None:
    graph = Graph((Input("x", (3,), "bfloat16"),), (Node("n", "torch.tanh", ("x",)),), ("n",))
    coarse = Case(graph, {"x": Uniform(1)})
    assert spacing(coarse) == 2.0**-7
    wider = widened_case(coarse)
    assert wider is not None
    assert [item.dtype for item in wider.graph.inputs] == ["float32"]
    assert (wider.input_arrays()["x"] == coarse.input_arrays()["x"]).all(), "the same numbers"


def test_layers_are_told_the_wider_format_because_they_cast_their_inputs() -> None:
    wider = widened_case(case(None))
    assert wider is not None
    assert [item.dtype for item in wider.graph.inputs] == ["float64"]
    assert wider.graph.nodes[0].params["dtype"] == "float64"


def test_a_policy_is_told_to_a_layer_and_to_layers_inside_of_it() -> None:
    inside = {"$op": "keras.layers.Dense", "params": {"units": 2}}
    initializer = {"$op": "keras.initializers.Zeros", "params": {}}
    params = {"layer": inside, "initializer": initializer}
    told = with_policy(Node("n", "keras.layers.TimeDistributed", ("x",), params), "mixed_float16")
    assert told.params["dtype"] == told.params["layer"]["params"]["dtype"] == "mixed_float16"
    assert told.params["initializer"] == initializer
    function = Node("n", "keras.ops.add", ("x", "x"))
    assert with_policy(function, "mixed_float16") == function
