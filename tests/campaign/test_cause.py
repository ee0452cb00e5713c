"""The cause of a finding, asked of real libraries."""

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.cause import found_cause, with_cause
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.triage.replay import laboratory_for
from assay.config import Config
from assay.ir import Array, Case, Explicit, Finding, Graph, Input, Node, Uniform, grouped
from assay.targets import known_targets
from tests.factories import make_finding

TARGETS = ("keras-tensorflow", "keras-torch")
ADD = "keras/src/backend/tensorflow/numpy.py:add"


def ones(*shape: int) -> Array:
    return np.arange(1, 1 + np.prod(shape), dtype="float32").reshape(shape)


def found(op: str, *arrays: Array, **changes: Any) -> Finding:
    """A bug of an op on these arrays, in one list if it is a merge layer."""
    params = changes.pop("params", {})
    names = tuple(f"x{index}" for index in range(len(arrays)))
    inputs = tuple(Input(n, a.shape, a.dtype.name) for n, a in zip(names, arrays, strict=True))
    merges = op.rpartition(".")[2] in ("Add", "Average")
    node = Node("n", op, (names,) if merges else names, params)
    case = Case(
        Graph(inputs, (node,), ("n",)),
        {name: Explicit(array) for name, array in zip(names, arrays, strict=True)},
        weights=Uniform(4),
        stage="forward",
    )
    settings = {"kind": "inconsistency", "blamed": TARGETS[:1], "targets": TARGETS, **changes}
    message = str(settings.pop("message", ""))
    finding = make_finding(f"{op}{params}{message}", op=op, params=params, case=case, **settings)
    return with_message(finding, message)


def with_message(finding: Finding, message: str) -> Finding:
    evidence = msgspec.structs.replace(finding.evidence, message=message, believed=())
    return msgspec.structs.replace(finding, evidence=evidence, node="n")


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    finding = found("keras.ops.add", ones(2, 2), ones(2, 1))
    with laboratory_for([finding], known_targets(Config())) as started:
        yield started


def test_what_adds_is_one_cause_whoever_adds(laboratory: Laboratory) -> None:
    """A layer that adds its bias, one that merges, and the function: tf.nn.bias_add in each."""
    convolution = {"filters": 2, "kernel_size": 2, "data_format": "channels_first"}
    findings = [
        found("keras.ops.add", ones(2, 2), ones(2, 1)),
        found("keras.layers.Add", ones(2, 2), ones(2, 1)),
        found("keras.layers.Conv3D", ones(1, 1, 3, 3, 3), params=convolution),
    ]
    causes = [with_cause(finding, laboratory) for finding in findings]
    assert {item.cause.place for item in causes if item.cause is not None} == {ADD}
    (group,) = grouped(causes)
    assert group.first.op == "keras.ops.add"
    assert group.affects == ("keras.layers.Add", "keras.layers.Conv3D")


def test_a_cause_is_the_same_before_and_after_a_reduction(laboratory: Laboratory) -> None:
    large = found("keras.layers.Add", ones(3, 4, 4), ones(3, 4, 1))
    small = found("keras.layers.Add", ones(2, 2), ones(2, 1))
    assert found_cause(large, laboratory).place == ADD
    assert found_cause(large, laboratory).id == found_cause(small, laboratory).id


def test_one_line_that_raises_for_two_reasons_is_two_causes(laboratory: Laboratory) -> None:
    first = found(
        "keras.ops.pad",
        ones(3, 4),
        params={"pad_width": 1},
        kind="error",
        message="InvalidArgumentError: The first dimension of paddings must be the rank of inputs",
    )
    second = found(
        "keras.ops.pad",
        ones(3, 4),
        params={"pad_width": [[0, 9], [0, 0]], "mode": "reflect"},
        kind="error",
        message="InvalidArgumentError: paddings must be less than the dimension size: 9, 0 not",
    )
    causes = [with_cause(finding, laboratory) for finding in (first, second)]
    assert len({item.cause.place for item in causes if item.cause is not None}) == 1
    assert len(grouped(causes)) == 2


def test_an_exception_comes_from_a_line_that_the_library_hides(laboratory: Laboratory) -> None:
    """Keras leaves its own frames out of what a layer raises."""
    finding = found("keras.layers.Add", ones(0, 3), ones(0, 3), kind="error", message="a: b")
    cause = found_cause(finding, laboratory)
    assert (cause.place, cause.effect) == (ADD, "error")
    assert "tf.nn.bias_add" in cause.detail


def test_a_gradient_belongs_to_the_function_that_is_called(laboratory: Laboratory) -> None:
    changes: dict[str, Any] = {"stage": "gradient", "kind": "nan"}
    layer = found("keras.activations.celu", ones(2, 2), **changes)
    function = found("keras.ops.celu", ones(2, 2), **changes)
    causes = [found_cause(finding, laboratory) for finding in (layer, function)]
    assert causes[0].place == "keras/src/backend/tensorflow/nn.py:celu"
    assert causes[0].id == causes[1].id


def test_names_of_targets_mean_nothing(laboratory: Laboratory) -> None:
    finding = found("keras.ops.add", ones(2, 2), ones(2, 1))
    assert found_cause(finding, laboratory).who == ("tensorflow",)


def test_what_is_no_bug_is_not_looked_into(laboratory: Laboratory) -> None:
    finding = found("keras.ops.add", ones(2, 2), ones(2, 1), category="rounding")
    assert with_cause(finding, laboratory) is finding


def by_rule(op: str, message: str, **changes: Any) -> Finding:
    """A bug of a rule on a call of a catalogue."""
    array = changes.pop("array", ones(2, 3))
    params = changes.pop("params", {})
    arguments = {"0": {"$tensor": "x"}, **changes.pop("arguments", {})}
    graph = Graph(
        (Input("x", array.shape, array.dtype.name),),
        (Node("n", op, (), params, arguments),),
        ("n",),
    )
    settings = {"kind": "equivalence", "blamed": ("torch",), "targets": ("torch",)}
    case = Case(graph, {"x": Explicit(array)}, stage="forward")
    finding = make_finding(f"{op}{message}{array.shape}", op=op, case=case, **settings, **changes)
    rule = message.partition(":")[0]
    return msgspec.structs.replace(with_message(finding, message), rule=rule, oracle="rewrite")


def test_findings_of_a_rule_are_one_cause_by_the_operator_that_they_rest_on() -> None:
    narrow: dict[str, Any] = {"arguments": {"1": 1, "2": 0, "3": 2}}
    function = by_rule("torch.nn.functional.gelu", "strided: another result")
    module = by_rule("torch.nn.GELU", "strided: NaN or infinity", array=ones(4, 5))
    other = by_rule("torch.nn.functional.gelu", "vmap: another result")
    copied = by_rule("torch.narrow_copy", "out: another result", **narrow)
    raised = by_rule("torch.linalg.inv", "strided: _LinAlgError: singular", array=ones(2, 2) * 0)
    findings = [function, module, other, copied, raised]
    with laboratory_for([function], known_targets(Config())) as started:
        found = [with_cause(finding, started) for finding in findings]
    places = [item.cause.place for item in found if item.cause is not None]
    assert places[:4] == ["aten::gelu", "aten::gelu", "aten::gelu", "aten::narrow_copy"]
    ids = [item.cause.id for item in found if item.cause is not None]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 4
    assert len(grouped(found)) == 4


def test_without_a_look_inside_findings_of_a_rule_are_told_apart_by_their_op() -> None:
    findings = [by_rule(op, "strided: another result") for op in ("torch.exp", "torch.sin")]
    assert len(grouped(findings)) == 2
