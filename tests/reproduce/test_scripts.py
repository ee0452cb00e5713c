"""Scripts read as a maintainer would write them, and are the same every time."""

import ast

import msgspec
import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from assay.ir import Finding, Node, Platform
from assay.reproduce import CannotReproduce, issue, script
from tests.reproduce.examples import (
    EXAMPLES,
    case_of,
    configuration,
    error,
    finding_of,
    inconsistency,
    renamed,
    validation,
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_text(name: str, snapshot: SnapshotAssertion) -> None:
    finding, arrays = EXAMPLES[name]()
    text = script(finding, arrays)
    assert text == script(finding, arrays)
    assert text == snapshot


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_text_is_the_same_whatever_the_targets_are_called(name: str) -> None:
    finding, arrays = EXAMPLES[name]()
    mine, own = finding, arrays
    for place, target in enumerate(finding.targets):
        if target != "reference":
            mine, own = renamed(mine, own, target, f"mine-{place}")
    assert script(mine, own) == script(finding, arrays)
    assert f"| {finding.targets[0]} (mine-0) |" in issue(mine, own, "pass\n")


def test_what_is_no_eager_keras_has_no_script() -> None:
    finding, arrays = renamed(*inconsistency(), "keras-tensorflow", "mine")
    for platform, reason in (
        (Platform("keras", "tensorflow", "graph"), "run in eager mode; mine is keras-tensorflow"),
        (Platform("museum"), "museum .mine. are written is not known"),
    ):
        platforms = {**finding.platforms, "mine": platform}
        other = msgspec.structs.replace(finding, platforms=platforms)
        with pytest.raises(CannotReproduce, match=reason):
            script(other, arrays)


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("name", EXAMPLES)
def test_only_keras_numpy_and_the_standard_library_are_imported(name: str, thorough: bool) -> None:
    finding, arrays = EXAMPLES[name]()
    tree = ast.parse(script(finding, arrays, thorough))
    imported = {
        alias.name
        for item in ast.walk(tree)
        if isinstance(item, ast.Import)
        for alias in item.names
    }
    assert not any(isinstance(item, ast.ImportFrom) for item in ast.walk(tree))
    differentiates = any(isinstance(n, ast.FunctionDef) and n.name == "gradient" for n in tree.body)
    backends = {"tensorflow", "torch", "jax"} if differentiates else set()
    assert imported <= {"os", "subprocess", "sys", "tempfile", "keras", "numpy"} | backends


def test_the_issue_has_versions_script_and_evidence(snapshot: SnapshotAssertion) -> None:
    finding, arrays = inconsistency()
    assert issue(finding, arrays, script(finding, arrays)) == snapshot


def test_messages_cannot_break_the_table_of_an_issue() -> None:
    finding, arrays = error()
    nasty = msgspec.structs.replace(
        finding.evidence.observations[0], summary="ValueError: a | b\n<script>"
    )
    evidence = msgspec.structs.replace(
        finding.evidence, observations=(nasty, *finding.evidence.observations[1:])
    )
    finding = msgspec.structs.replace(finding, evidence=evidence)
    text = issue(finding, arrays, "pass\n")
    assert "| ValueError: a \\| b &lt;script> |" in text


def test_where_nobody_is_blamed_the_fewest_stand_against_the_most() -> None:
    finding, arrays = inconsistency()
    text = script(msgspec.structs.replace(finding, blamed=()), arrays)
    assert "gives 2 where others give 1\n" in text
    assert 'setdefault("KERAS_BACKEND", "tensorflow")' in text
    assert "# backends disagree; who is right is undecided: the others agree" in text
    assert "expected = 1  # float64 reference, keras-jax, keras-torch" in text
    with pytest.raises(CannotReproduce, match="nobody could be blamed"):
        script(msgspec.structs.replace(finding, blamed=()), {})


def test_a_tuple_is_told_from_one_array_of_all() -> None:
    node = Node("n0", "keras.ops.nonzero", ("x0",))
    case = case_of(node, {"x0": np.ones((2, 3), "float32")})
    arrays = {"keras-torch/output:n0": np.zeros((2, 6), "int64")}
    for name in ("output:n0", "output:n0:1"):
        arrays[f"keras-jax/{name}"] = np.zeros(6, "int64")
    observed: dict[str, str | float] = {"keras-torch": "one array", "keras-jax": "a tuple"}
    evidence = {"where": "output:n0", "believed": ("keras-jax",)}
    finding = finding_of(case, "inconsistency", "keras-torch", observed, evidence=evidence)
    text = script(finding, arrays)
    assert "expected = [(6,), (6,)]\n" in text
    assert "for item in keras.tree.flatten(keras.ops.nonzero(x))]" in text


def test_the_output_of_a_node_within_a_graph_is_asked_without_what_follows() -> None:
    finding, arrays = inconsistency()
    (node,) = finding.case.graph.nodes
    after = Node("n1", "keras.ops.add", ("n0", "x0"))
    graph = msgspec.structs.replace(finding.case.graph, nodes=(node, after), outputs=("n1",))
    longer = msgspec.structs.replace(
        finding, case=msgspec.structs.replace(finding.case, graph=graph)
    )
    assert "keras.ops.add" not in script(longer, arrays)


def test_without_blame_the_script_runs_on_whoever_raises_or_accepts() -> None:
    for example, backend in ((error, "tensorflow"), (validation, "torch")):
        finding, arrays = example()
        text = script(msgspec.structs.replace(finding, blamed=()), arrays)
        assert f'setdefault("KERAS_BACKEND", "{backend}")' in text


def test_where_all_are_blamed_the_reference_is_the_answer() -> None:
    finding, arrays = inconsistency()
    libraries = tuple(target for target in finding.targets if target != "reference")
    arrays["reference/output:n0"] = np.array(7, "int64")
    text = script(msgspec.structs.replace(finding, blamed=libraries), arrays)
    assert "expected = 7  # float64 reference\n" in text


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "regression"}, "findings of kind regression have none yet"),
        ({"blamed": ("keras-torch+compile",), "targets": ("keras-torch+compile",)}, "eager mode"),
    ],
)
def test_what_no_script_can_show_is_refused(changes: dict[str, object], reason: str) -> None:
    finding, arrays = inconsistency()
    with pytest.raises(CannotReproduce, match=reason):
        script(msgspec.structs.replace(finding, **changes), arrays)  # type: ignore[arg-type]


def test_a_death_that_depends_on_the_machine_is_refused() -> None:
    finding: Finding = finding_of(
        EXAMPLES["crash"]()[0].case,
        "crash",
        "keras-tensorflow",
        {"keras-tensorflow": "memory", "keras-torch": "works"},
        evidence={"message": "memory"},
    )
    with pytest.raises(CannotReproduce, match="depends on the machine"):
        script(finding, {})


def test_the_gradient_of_an_inner_output_is_asked_from_there_on() -> None:
    nodes = (Node("n0", "keras.ops.sin", ("x0",)), Node("n1", "keras.ops.square", ("n0",)))
    case = case_of(nodes[0], {"x0": np.ones(2, "float32")}, upstream=np.ones(2, "float32"))
    evidence = {"where": "gradient:output:n0", "tolerance": 0.0}
    observed: dict[str, str | float] = {"keras-torch": "run 1: 1.0"}
    finding = finding_of(
        case, "nondeterminism", "keras-torch", observed, evidence=evidence, stage="gradient"
    )
    graph = msgspec.structs.replace(case.graph, nodes=nodes, outputs=("n1",))
    longer = msgspec.structs.replace(
        finding, case=msgspec.structs.replace(finding.case, graph=graph)
    )
    text = script(longer, {})
    assert "\nn0 = keras.ops.sin(x)\n" in text
    assert "def loss(n0):\n    return keras.ops.sum(keras.ops.square(n0))\n" in text
    assert "gradient(loss, n0)[0]" in text


def test_a_round_trip_that_shows_in_gradients_alone_has_no_script() -> None:
    """The script compares results: it would deny what it cannot see."""
    finding, arrays = configuration()
    (told,) = finding.evidence.observations
    slopes = msgspec.structs.replace(told, summary="gradient:input:x0: -0.05 became -0.09")
    evidence = msgspec.structs.replace(finding.evidence, observations=(slopes,))
    with pytest.raises(CannotReproduce, match="only gradients differ"):
        script(msgspec.structs.replace(finding, evidence=evidence), arrays)
