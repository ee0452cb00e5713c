"""Scripts of findings of rules: what they tell on the installed PyTorch."""

from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.triage.reproducer import Outcome, verify
from assay.ir import Array, Case, Finding, Input, Node, Platform
from assay.reproduce import script
from tests.reproduce.examples import case_of, finding_of

X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], "float32")


def tensor(name: str) -> dict[str, str]:
    return {"$tensor": name}


def of_rule(
    rule: str, op: str, arguments: dict[str, Any], message: str = "another result", **changes: Any
) -> Finding:
    """A finding on a call of a catalogue, as the oracle of rules tells it."""
    arrays: dict[str, Array] = changes.pop("arrays", {"x0": X})
    case = case_of(Node("call", op, (), changes.pop("params", {}), arguments), arrays)
    evidence = {"message": f"{rule}: {message}", "tolerance": changes.pop("tolerance", 1e-3)}
    settings = {"kind": "equivalence", **changes}
    finding = finding_of(
        case, blamed="torch", observed={"torch": 1.0}, evidence=evidence, **settings
    )
    platforms = {"torch": Platform("torch", mode="eager", versions={"torch": "2.13.0"})}
    return msgspec.structs.replace(finding, rule=rule, oracle="rewrite", platforms=platforms)


def in_bfloat16(finding: Finding) -> Finding:
    graph = finding.case.graph
    inputs = tuple(Input(item.name, item.shape, "bfloat16") for item in graph.inputs)
    case: Case = msgspec.structs.replace(
        finding.case, graph=msgspec.structs.replace(graph, inputs=inputs)
    )
    return msgspec.structs.replace(finding, case=case)


def ended(finding: Finding) -> Outcome:
    text = script(finding, {})
    assert "assay" not in text
    return verify(text)


CONVERTED = {"$made": ["torch.Tensor.to_sparse", tensor("x0")]}


@pytest.mark.parametrize(
    "finding",
    [
        of_rule("strided", "torch.tanh", {"0": tensor("x0")}),
        in_bfloat16(of_rule("strided", "torch.tanh", {"0": tensor("x0")})),
        # Parts that are no dense tensors: nested, sparse, a number, lazily conjugated.
        of_rule("strided", "torch.sparse.sum", {"0": CONVERTED, "dim": 0}),
        of_rule("strided", "torch.nn.LSTM", {"0": tensor("x0")}, params={"0": 3, "1": 2}),
        of_rule("strided", "torch.numel", {"0": tensor("x0")}),
        of_rule("strided", "torch.conj", {"0": tensor("x0")}, arrays={"x0": X * 1j}),
        of_rule("strided", "torch.tanh", {"0": tensor("x0")}, "RuntimeError: no such thing"),
        of_rule("strided", "torch.tanh", {"0": tensor("x0")}, "SIGSEGV", kind="crash"),
    ],
    ids=lambda finding: f"{finding.op} {finding.evidence.message}",
)
def test_a_script_denies_what_is_not_there(finding: Finding) -> None:
    done = ended(finding)
    assert done.code == 1, done


def test_a_script_shows_what_is_there() -> None:
    """Shapes differ: strides are what the function is about."""
    about_strides = of_rule("strided", "torch.Tensor.stride", {"0": tensor("x0")})
    dead = of_rule("strided", "torch._C._crash_if_csrc_asan", {"0": 1}, "SIGABRT", kind="crash")
    assert ended(about_strides).code == 0
    assert 'if sys.argv[1:] != ["child"]' in script(dead, {})


def test_a_difference_in_double_precision_is_not_rounded_away() -> None:
    text = script(of_rule("strided", "torch.tanh", {"0": tensor("x0")}, tolerance=1e-12), {})
    assert "rtol=0, atol=1e-12" in text
