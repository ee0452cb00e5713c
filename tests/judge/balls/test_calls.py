"""The exact results of a case, beside those of the reference when it is asked as a target is."""

from typing import Any

import msgspec
import numpy as np
import pytest

from assay.ir import Case, Explicit, Graph, Input, Node, Uniform
from assay.judge.balls import NoFormula, enclose_case
from assay_worker.libraries._base import Question
from assay_worker.libraries.reference import ReferenceAdapter


def _case(
    op: str, shapes: Any, params: Any = None, arguments: Any = None, listed: Any = False
) -> Case:
    names = tuple(f"x{place}" for place in range(len(shapes)))
    positional = names[: len(names) - len(arguments or {})]
    node = Node("n0", op, (positional,) if listed else positional, params or {}, arguments or {})
    inputs = tuple(Input(name, shape) for name, shape in zip(names, shapes, strict=True))
    recipes = {name: Uniform(place, -2.0, 2.0) for place, name in enumerate(names)}
    return Case(Graph(inputs, (node,), ("n0",)), recipes)


def _reference(case: Case) -> Any:
    record: dict[str, Any] = {}
    question = Question(msgspec.to_builtins(case, enc_hook=lambda item: item))
    arrays = {name: array.astype("float64") for name, array in case.input_arrays().items()}
    ReferenceAdapter("", "eager").program(question)(arrays, record)
    return record["output:n0"]


@pytest.mark.parametrize(
    "case",
    [
        _case("keras.ops.tanh", [(3, 4)]),
        _case("keras.ops.sum", [(3, 4)], {"axis": [0, 1], "keepdims": True}),
        _case("keras.layers.Add", [(2, 3), (2, 3)], listed=True),
        _case("keras.layers.Dense", [(2, 4)], {"units": 3}),
        _case("keras.layers.BatchNormalization", [(2, 4)]),
        _case(
            "keras.layers.Conv2D",
            [(1, 5, 6, 2)],
            {"filters": 4, "kernel_size": [2, 3], "strides": [1, 2], "padding": "same"},
        ),
        _case(
            "keras.losses.MeanSquaredError",
            [(3, 4), (3, 4), (3,)],
            arguments={"sample_weight": {"$tensor": "x2"}},
        ),
    ],
    ids=lambda case: case.graph.nodes[0].op,
)
def test_a_case_has_the_results_of_its_node(case: Case) -> None:
    (found,) = enclose_case(case, "float64")
    expected = _reference(case)
    assert found.settled.all()
    assert found.elements.shape == expected.shape
    middle = np.array([float(ball) for ball in found.elements.flat]).reshape(expected.shape)
    np.testing.assert_allclose(middle, expected, rtol=1e-12, atol=1e-13)


def test_numbers_are_rounded_to_the_format_in_which_they_are_stored() -> None:
    case = _case("keras.ops.copy", [(3,)])
    case = msgspec.structs.replace(
        case, inputs={"x0": Explicit(np.array([0.1, 1 / 3, 1e-9], "float32"))}
    )
    (found,) = enclose_case(case, "float16", stored="float16")
    expected = np.array([0.1, 1 / 3, 1e-9], "float16").astype("float64")
    assert [float(ball) for ball in found.elements] == list(expected)


def test_several_nodes_and_unknown_ops_have_no_formula() -> None:
    one = _case("keras.ops.tanh", [(3,)])
    nodes = (*one.graph.nodes, Node("n1", "keras.ops.exp", ("n0",)))
    two = msgspec.structs.replace(one, graph=Graph(one.graph.inputs, nodes, ("n1",)))
    with pytest.raises(NoFormula, match="single nodes"):
        enclose_case(two, "float32")
    with pytest.raises(NoFormula, match="single nodes"):
        enclose_case(msgspec.structs.replace(one, training=True), "float32")
    with pytest.raises(NoFormula, match=r"does not know torch\.tanh"):
        enclose_case(_case("torch.tanh", [(3,)]), "float32")
