"""Half precision: what layers are told, and what is allowed then."""

import msgspec
import numpy as np

from assay.ir import Case, Graph, Input, Node, Uniform
from assay.judge import difference, perturbed_cases, spacing, widened_case
from assay.judge.precision import coarseness


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
    assert coarseness(case(None)) == 1.0 < coarseness(case("mixed_float16"))


def test_half_precision_allows_what_full_precision_does_not() -> None:
    one, other = np.array([1.0], "float32"), np.array([1.02], "float32")
    assert difference(one, other) is not None
    assert difference(one, other, coarseness(case("mixed_bfloat16"))) is None
    assert difference(one, -other, coarseness(case("mixed_bfloat16"))) is not None


def test_nudges_are_seen_in_half_precision() -> None:
    """A float32 ULP vanishes when a layer rounds its input to float16."""
    told = case("mixed_float16")
    before = told.input_arrays()["x"].astype("float16")
    moved = [item.input_arrays()["x"].astype("float16") for item in perturbed_cases(told)]
    assert all((array != before).mean() > 0.4 for array in moved)


def test_the_wider_format_of_half_precision_is_full_precision() -> None:
    wider = widened_case(case("mixed_float16", inside="mixed_float16"))
    assert wider is not None
    assert spacing(wider) == 0.0
    assert msgspec.structs.replace(wider, graph=case(None).graph) == case(None)


def test_layers_are_told_the_wider_format_because_they_cast_their_inputs() -> None:
    wider = widened_case(case(None))
    assert wider is not None
    assert [item.dtype for item in wider.graph.inputs] == ["float64"]
    assert wider.graph.nodes[0].params["dtype"] == "float64"
