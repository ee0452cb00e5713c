"""Scripts of native libraries: what they say, and what they tell with a fault and without."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from assay.campaign.triage.confirm import scripted
from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.reproducer import checked, verify
from assay.ir import Node, Observation, Platform
from assay.libraries import libraries
from assay.reproduce import CannotReproduce, as_recorded, script, sides_of, speaker_of, title
from assay.reproduce.sides import Sides
from assay.targets import Target
from assay_worker import onnx_nodes
from tests.reproduce.examples import Example, case_of, finding_of, renamed
from tests.reproduce.examples import error as keras_error

X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], "float32")
CUMSUM = {
    "torch": ("torch.cumsum", {"dim": 1}),
    "tensorflow": ("tf.math.cumsum", {"axis": 1}),
    "jax": ("jax.numpy.cumsum", {"axis": 1}),
}
#: What makes that op wrong; in torch, others raise and vary.
FAULTS = {
    "torch": "import torch\nright = torch.cumsum\n"
    "torch.cumsum = lambda x, dim: right(x, dim=dim) * 1.01\n"
    "def raises(x):\n    raise RuntimeError(f'cannot be done for any tensor of shape {x.shape}')\n"
    "torch.expm1 = raises\n"
    "import random\n"
    "torch.tan = lambda x: x * random.random()\n",
    "tensorflow": "import tensorflow as tf\nright = tf.math.cumsum\n"
    "tf.math.cumsum = lambda x, axis: right(x, axis=axis) * 1.01\n",
    "jax": "import jax.numpy\nright = jax.numpy.cumsum\n"
    "jax.numpy.cumsum = lambda x, axis: right(x, axis=axis) * 1.01\n",
}


RAISED = "RuntimeError: cannot be done for any tensor of shape torch.Size([3, 3])"


def wrong(library: str, mode: str = "eager") -> Example:
    """A cumulative sum that is one percent too large on the target ``mine``."""
    op, params = CUMSUM[library]
    case = case_of(Node("n0", op, ("x0",), params), {"x0": X})
    right = X.cumsum(axis=1)
    arrays = {
        "mine/output:n0": right * np.float32(1.01),
        "keras-numpy/output:n0": right,
        "reference/output:n0": right.astype("float64"),
    }
    evidence = {"where": "output:n0", "position": (0, 2), "tolerance": 1e-6}
    observed = {"mine": 1.01, "keras-numpy": 1.0, "reference": 1.0}
    found = finding_of(case, "inconsistency", "mine", observed, evidence=evidence)
    return _on(found, arrays, Platform(library, "", mode, {library: "1.2"}))


def _on(finding, arrays, platform: Platform) -> Example:  # type: ignore[no-untyped-def]
    platforms = {"mine": platform, "keras-numpy": Platform("keras", "numpy")}
    versions = {"mine": platform.versions}
    return msgspec.structs.replace(finding, platforms=platforms, versions=versions), arrays


def wrong_gradient(library: str) -> Example:
    """The gradient of that sum."""
    op, params = CUMSUM[library]
    upstream = np.array([[1.0, 2.0, 0.5], [0.25, 1.0, 3.0]], "float32")
    case = case_of(Node("n0", op, ("x0",), params), {"x0": X}, upstream)
    right = upstream[:, ::-1].cumsum(axis=1)[:, ::-1]
    where = "gradient:input:x0"
    arrays = {
        f"mine/{where}": right * np.float32(1.01),
        f"keras-jax/{where}": right,
        "keras-jax/output:n0": X.cumsum(axis=1),
    }
    evidence = {"where": where, "position": (0, 0), "tolerance": 1e-6}
    observed = {"mine": 1.01, "keras-jax": 1.0}
    found = finding_of(case, "inconsistency", "mine", observed, evidence=evidence, stage="gradient")
    return _on(found, arrays, Platform(library))


def onnx(library: str, mode: str = "eager") -> Example:
    """A sum over an axis: attributes, an input that is a constant, and two nodes."""
    case = case_of(Node("n0", "onnx.Abs", ("x0",), {}), {"x0": X})
    nodes = (
        *case.graph.nodes,
        Node("n1", "onnx.ReduceSum", ("n0",), {"axes": [1], "keepdims": 0}),
    )
    graph = msgspec.structs.replace(case.graph, nodes=nodes, outputs=("n1",))
    found = finding_of(
        case,
        "inconsistency",
        "mine",
        {"mine": 5.0, "reference": 4.0},
        evidence={"where": "output:n1", "position": (0,), "tolerance": 1e-6},
        op="onnx.ReduceSum",
        params=nodes[1].params,
    )
    found = msgspec.structs.replace(found, case=msgspec.structs.replace(case, graph=graph))
    right = np.abs(X).sum(axis=1)
    arrays = {"mine/output:n1": right + 1, "reference/output:n1": right.astype("float64")}
    return _on(found, arrays, Platform(library, "", mode, {library: "1.2"}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of faults for each library."""
    made = tmp_path_factory.mktemp("faults")
    for name, text in FAULTS.items():
        (made / f"{name}.py").write_text(text)
    (made / "harmless.py").write_text("import torch\n")
    return made


@pytest.fixture(scope="module")
def interpreters(folder: Path) -> Iterator[dict[str, Interpreters]]:
    """By library: what runs scripts of the target ``mine`` with its faults."""
    made = {
        name: Interpreters([Target("mine", name, prelude=str(folder / f"{name}.py"))])
        for name in FAULTS
    }
    yield made
    for item in made.values():
        item.close()


@pytest.fixture(params=CUMSUM)
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("make", [wrong, wrong_gradient])
def test_the_text(make, library: str, snapshot: SnapshotAssertion) -> None:  # type: ignore[no-untyped-def]
    assert script(*make(library)) == snapshot


@pytest.mark.parametrize(("library", "mode"), [("torch", "compile"), ("jax", "jit")])
def test_a_compiled_call_is_a_compiled_function(
    library: str, mode: str, snapshot: SnapshotAssertion
) -> None:
    assert script(*wrong(library, mode)) == snapshot


def test_a_script_tells_the_fault_from_the_library_without_it(
    library: str, interpreters: dict[str, Interpreters]
) -> None:
    opened = interpreters[library]
    for finding, arrays in (wrong(library), wrong_gradient(library)):
        told = scripted(finding, arrays, opened)
        assert told.script is not None
        assert told.script.reason == ""
        platform = finding.platforms["mine"]
        assert opened.verify_unchanged(script(finding, arrays), "mine", platform).code == 1


def test_a_prelude_that_a_script_does_not_show_leaves_the_bug_as_it_was(folder: Path) -> None:
    finding, arrays = wrong("torch")
    target = Target("mine", "torch", prelude=str(folder / "harmless.py"))
    with closing(Interpreters([target])) as opened:
        assert scripted(finding, arrays, opened) == finding


@pytest.mark.parametrize(("library", "mode"), [("jax", "jit"), ("tensorflow", "xla")])
def test_a_compiled_script_runs(
    library: str, mode: str, interpreters: dict[str, Interpreters]
) -> None:
    assert checked(*wrong(library, mode), interpreters[library].verify).reason == ""


ONNX = (("onnxruntime", "optimised"), ("onnxruntime", "unoptimised"), ("openvino", "eager"))


@pytest.mark.parametrize(("library", "mode"), [*ONNX, ("onnx", "eager")])
def test_a_model_of_onnx_is_built_and_run(
    library: str, mode: str, snapshot: SnapshotAssertion
) -> None:
    finding, arrays = onnx(library, mode)
    text = script(finding, arrays)
    assert text == snapshot
    other = arrays | {"reference/output:n1": arrays["reference/output:n1"] + 1}
    platform = finding.platforms["mine"]
    with closing(Interpreters()) as opened:
        # No runtime is wrong here: the script must run, and say so.
        assert opened.verify(text, "mine", platform).code == 1
        assert opened.verify(script(finding, other), "mine", platform).code == 0


def test_what_onnx_takes_as_an_input_is_in_one_table() -> None:
    defs = pytest.importorskip("onnx").defs
    for kind, names in onnx_nodes.INPUTS.items():
        schema = defs.get_schema(kind, onnx_nodes.OPSET, "")
        assert [item.name for item in schema.inputs][: len(names)] == list(names), kind
        for item in schema.inputs[1 : len(names)]:
            alike = item.type_str == schema.inputs[0].type_str
            assert alike == (item.name in onnx_nodes.ALIKE), (kind, item.name)
    for word in libraries()["onnxruntime"].words:
        kind = word.name.partition(".")[2]
        schema = defs.get_schema(kind, onnx_nodes.OPSET, "")
        for name in (*word.parameters, *word.given):
            assert name in schema.attributes or name in onnx_nodes.INPUTS[kind], (kind, name)


def test_a_call_in_shared_words_is_said_in_those_of_the_library_that_has_the_fault() -> None:
    finding, arrays = wrong("torch")
    shared = case_of(Node("n0", "keras.ops.cumsum", ("x0",), {"axis": 1}), {"x0": X})
    finding = msgspec.structs.replace(finding, case=shared, op="keras.ops.cumsum")
    assert "torch.cumsum(x, dim=1)" in script(finding, arrays)
    assert "import keras" not in script(finding, arrays)


def test_what_raises_and_what_varies(interpreters: dict[str, Interpreters]) -> None:
    opened = interpreters["torch"]
    for kind, op in (("error", "torch.expm1"), ("nondeterminism", "torch.tan")):
        finding, arrays = wrong("torch")
        observations = tuple(
            msgspec.structs.replace(item, summary=told, value=None)
            for item, told in zip(
                finding.evidence.observations, (RAISED, "works", "works"), strict=True
            )
        )
        evidence = msgspec.structs.replace(finding.evidence, observations=observations)
        case = case_of(Node("n0", op, ("x0",), {}), {"x0": X})
        bug = msgspec.structs.replace(finding, kind=kind, op=op, case=case, evidence=evidence)
        assert checked(bug, arrays, opened.verify).reason == ""
        platform = bug.platforms["mine"]
        if kind == "error":  # the same type elsewhere is another fault, so we do not confirm it
            text, speaker = script(bug, arrays), speaker_of(bug, sides_of(bug, arrays))
            other = text.replace("torch.expm1(x)", "torch.reshape(x, (7,))")
            for asked, same in ((text, True), (other, False)):
                outcome = opened.verify(asked, "mine", platform)
                assert outcome.code == 0
                assert as_recorded(bug, speaker, outcome.output) is same
        assert opened.verify_unchanged(script(bug, arrays), "mine", platform).code == 1


def test_who_gives_no_gradient_is_on_neither_side_of_one_that_raises() -> None:
    finding, arrays = wrong("torch")
    told = ("RuntimeError: no", "works", "no answer: gives no gradient")
    observations = tuple(
        Observation(name, name, said)
        for name, said in zip(("mine", "keras-numpy", "openvino"), told, strict=True)
    )
    evidence = msgspec.structs.replace(finding.evidence, observations=observations)
    failing = msgspec.structs.replace(finding, kind="error", stage="gradient", evidence=evidence)
    assert sides_of(failing, arrays) == Sides(("mine",), ("keras-numpy",))
    undecided = msgspec.structs.replace(failing, blamed=())
    assert sides_of(undecided, arrays) == Sides(("mine",), ("keras-numpy",))


def test_a_keras_target_of_another_name_and_interpreter_has_a_script() -> None:
    finding, arrays = keras_error()
    blamed = finding.blamed[0]
    finding, arrays = renamed(finding, arrays, blamed, "keras312")
    assert "import keras" in script(finding, arrays)
    backend = finding.platforms["keras312"].backend
    elsewhere = Target("keras312", "keras", backend, python="/nowhere/python")
    with closing(Interpreters([elsewhere])) as opened:
        reason = checked(finding, arrays, opened.verify).reason
    assert "/nowhere/python does not start" in reason


def test_a_title_says_where_only_if_the_op_does_not() -> None:
    def titled(example: Example) -> str:
        return title(example[0], sides_of(*example))

    assert titled(wrong("torch")) == "torch.cumsum(dim=1) gives wrong numbers (1.01 instead of 1)"
    assert titled(wrong("torch", "compile")).endswith(" on torch+compile")
    assert titled(onnx("onnxruntime", "optimised")).endswith(" on onnxruntime+optimised")


def test_gradients_of_what_differentiates_nothing_are_refused() -> None:
    finding, arrays = onnx("openvino")
    graded = msgspec.structs.replace(finding, stage="gradient", kind="error")
    with pytest.raises(CannotReproduce):
        script(graded, arrays)


def test_a_missing_library_is_told_in_a_line() -> None:
    text = script(*wrong("torch")).replace("import torch\n", "import torch_that_is_missing\n")
    outcome = verify(text, python=sys.executable)
    assert (outcome.code, outcome.output.count("\n")) == (2, 1)
