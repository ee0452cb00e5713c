"""Parts of a model are models again, on the same numbers."""

import numpy as np
import pytest

from assay.ir import Array, Case, Constant, Dot, Graph, Input, Node, Uniform, validate_case
from assay.ir.transform import bypassed, cut_out, ending_with, part_before, part_behind

#: x -> a -> b, y; and b + y -> c -> d.
GRAPH = Graph(
    (Input("x", (2, 3)), Input("y", (2, 3))),
    (
        Node("a", "keras.ops.tanh", ("x",)),
        Node("b", "keras.ops.square", ("a",)),
        Node("c", "keras.ops.add", ("b", "y")),
        Node("d", "keras.ops.sin", ("c",)),
    ),
    ("d",),
)
CASE = Case(GRAPH, {"x": Uniform(3), "y": Uniform(4)}, loss=Dot((Uniform(5),)), stage="gradient")
VALUES: dict[str, Array] = {name: np.full((2, 3), 0.5, "float32") for name in "abcd"}


def shape_of(case: Case) -> tuple[str, str, tuple[str, ...]]:
    """Names of inputs, of nodes, and outputs of a valid case."""
    graph = validate_case(case).graph
    return "".join(i.name for i in graph.inputs), "".join(n.id for n in graph.nodes), graph.outputs


def test_a_bypassed_node_hands_on_its_first_input() -> None:
    part = bypassed(CASE, ["a", "c"])
    assert shape_of(part) == ("xy", "ac", ("c",))
    assert part.graph.node("c").inputs == ("a", "y")
    assert part.loss == Dot((Constant(1.0),))
    assert bypassed(CASE, ["a", "b", "d"]).loss == CASE.loss


def test_what_was_cut_out_reads_inputs_of_its_own() -> None:
    part = cut_out(CASE, ["c"], VALUES)
    assert part is not None
    assert shape_of(part)[1:] == ("c", ("c",))
    assert part.graph.node("c").inputs == ("b_", "y")
    np.testing.assert_array_equal(part.input_arrays()["b_"], VALUES["b"])
    assert part.inputs["y"] == CASE.inputs["y"]
    assert cut_out(CASE, ["c"], {}) is None


def test_the_part_before_a_node_has_gradients_of_its_own() -> None:
    part = part_before(CASE, {"c"})
    assert part is not None
    assert shape_of(part) == ("x", "ab", ("b",))
    assert isinstance(part.loss, Dot)
    assert (part.stage, part.optimizer) == ("gradient", None)


@pytest.mark.parametrize("disputed", [{"a"}, {"b", "d"}, set()])
def test_there_is_no_part_before_the_first_node_nor_through_another(disputed: set[str]) -> None:
    assert part_before(CASE, disputed) is None


def test_the_part_behind_a_node_starts_from_its_value() -> None:
    part = part_behind(CASE, {"b": VALUES["b"]})
    assert shape_of(part) == ("yb", "cd", ("d",))
    np.testing.assert_array_equal(part.input_arrays()["b"], VALUES["b"])
    assert (part.loss, part.stage) == (CASE.loss, CASE.stage)


def test_a_case_ends_with_a_node() -> None:
    assert shape_of(ending_with(CASE, "b")) == ("x", "ab", ("b",))
    assert ending_with(CASE, "b").loss is None
    assert ending_with(CASE, "d") is CASE
