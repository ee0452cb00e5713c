"""Numbers that documentation defines on the way to a result."""

import numpy as np
import pytest
from msgspec.structs import replace

from assay.ir import REFERENCE, Verdict
from assay.ir.transform import with_arrays
from assay.judge._example import case_of
from assay.judge.intermediates import Intermediate, intermediates
from tests.judge.test_entries_still_match import findings, laboratory_of, targets_of


@pytest.mark.parametrize("entry", intermediates(), ids=lambda entry: entry.id)
def test_where_it_does_not_fit_the_format_the_result_is_rounding(entry: Intermediate) -> None:
    with laboratory_of(targets_of([entry])) as laboratory:
        found: list[Verdict] = [item.verdict for item in findings(entry, laboratory)]
    told = [(item.kind, item.category, item.recognised, item.evidence.reason) for item in found]
    assert [item.recognised for item in found] == [entry.id], told
    assert {item.category for item in found} == {"rounding"}


def entry_of(name: str) -> Intermediate:
    (entry,) = (item for item in intermediates() if item.id == name)
    return entry


def test_it_is_asked_of_the_reference_for_the_same_tensors() -> None:
    entry = entry_of("attention-logits")
    asked = entry.case(case_of(entry.example))
    (node,) = asked.graph.nodes
    assert (node.op, tuple(node.tensors())) == ("keras.ops.einsum", ("x0", "x1"))
    assert asked.stage == "forward"


def test_without_an_op_of_its_own_it_is_the_call_with_other_parameters() -> None:
    entry = entry_of("sum-of-weighted-losses")
    (node,) = entry.case(case_of(entry.example)).graph.nodes
    assert (node.op, node.params) == ("keras.losses.MeanAbsoluteError", {"reduction": "sum"})
    assert node.arguments == {"sample_weight": {"$tensor": "x2"}}


def test_what_is_shared_is_repeated() -> None:
    entry = entry_of("attention-logits")
    case = case_of(entry.example)
    query, key = (case.input_arrays()[name] for name in ("x0", "x1"))
    assert query.shape == key.shape
    several = with_arrays(case, {"x0": np.repeat(query, 4, axis=2)})
    assert entry.case(several).input_arrays()["x1"].shape == (1, 2, 4, 2)


def test_other_calls_have_no_such_number() -> None:
    entry = entry_of("sum-of-weighted-losses")
    (node,) = case_of(entry.example).graph.nodes
    assert entry.speaks_of(node)
    assert not entry.speaks_of(replace(node, params={"reduction": "mean"}))
    assert not entry.speaks_of(replace(node, op="keras.ops.std"))
    assert REFERENCE not in entry.example.targets
