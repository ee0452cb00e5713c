"""``validate`` takes every well-formed graph and names what is wrong with any other."""

import pytest
from hypothesis import given, settings

from assay.ir import Case, Graph, Input, InvalidGraph, Node, producer, validate, validate_case
from tests.factories import make_case
from tests.strategies import cases, graphs

X = Input("x", (2, 3))


@given(graphs())
def test_well_formed_graphs_are_given_back(graph: Graph) -> None:
    assert validate(graph) is graph


@settings(max_examples=30)
@given(cases())
def test_well_formed_cases_are_given_back(case: Case) -> None:
    assert validate_case(case) is case


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph((X, X), (), ("x",)), "input 'x' is defined twice"),
        (Graph((Input("a:b", (1,)),), (), ("a:b",)), "input name 'a:b'"),
        (Graph((Input("", (1,)),), (), ("",)), "input name ''"),
        (Graph((X,), (Node("x", "op", ("x",)),), ("x",)), "node 'x' is defined twice"),
        (Graph((X,), (Node("n", "op", ("x",)),) * 2, ("n",)), "node 'n' is defined twice"),
        (Graph((X,), (Node("n:1", "op", ("x",)),), ("x",)), "node id 'n:1'"),
        (Graph((X,), (Node("", "op", ("x",)),), ("x",)), "node id ''"),
        (Graph((X,), (Node("n", "op", ("y",)),), ("n",)), "node 'n' reads 'y'"),
        (Graph((X,), (Node("n", "op", ("n",)),), ("n",)), "node 'n' reads 'n'"),
        (Graph((X,), (Node("n", "op", (("x", "y:1"),)),), ("n",)), "node 'n' reads 'y:1'"),
        (
            Graph((X,), (Node("n", "op", ("x",), {}, {"mask": {"$tensor": "m"}}),), ("n",)),
            "node 'n' reads 'm'",
        ),
        (
            Graph((X,), (Node("a", "op", ("b",)), Node("b", "op", ("x",))), ("b",)),
            "node 'a' reads 'b', which is not defined before it",
        ),
        (Graph((X,), (Node("n", "op", ("x",)),), ()), "at least one output"),
        (Graph((X,), (Node("n", "op", ("x",)),), ("y",)), "output 'y' is not defined"),
        (Graph((X,), (Node("n", "op", ("x:1",)),), ("n",)), "the input 'x' is one tensor"),
        (
            Graph((X,), (Node("n", "op", ("x",)), Node("m", "op", ("n:one",))), ("m",)),
            "node 'm' reads 'n:one'",
        ),
        (Graph((X,), (Node("n", "op", ("x",)),), ("n:",)), "'n:': expected a whole number"),
    ],
)
def test_a_malformed_graph_is_refused_with_its_culprit(graph: Graph, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message.replace("(", r"\(")):
        validate(graph)


def test_a_node_reads_positional_lists_and_keyword_tensors_in_order() -> None:
    keywords = {"axis": 1, "mask": {"$tensor": "c"}}
    node = Node("n", "op", ("a", ("b", "a:1")), {"k": {"$tensor": "no"}}, keywords)
    assert list(node.tensors()) == ["a", "b", "a:1", "c"]
    assert [producer(tensor) for tensor in node.tensors()] == ["a", "b", "a", "c"]


def test_an_unknown_node_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        make_case().graph.node("nowhere")


def _case(**changes: object) -> Case:
    graph = Graph((X,), (Node("n", "op", ("x",)),), ("n",))
    fields = {"graph": graph, "inputs": make_case().inputs, **changes}
    return Case(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": {}}, r"recipe for each of \['x'\]; received \[\]"),
        ({"stage": "sideways"}, "unknown stage 'sideways'"),
        ({"stage": "gradient"}, "stage 'gradient' needs a loss"),
        ({"graph": Graph((X,), (), ())}, "at least one output"),
    ],
)
def test_a_malformed_case_is_refused_with_its_culprit(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        validate_case(_case(**changes))
