"""The trial that puts a finding's question again."""

from collections.abc import Sequence

from assay.ir import Arm, Case, Finding, Trial
from assay.libraries import everything
from assay.ops.placing import UNKNOWN_CALL, placed, shapes_of


def trial_of(finding: Finding, case: Case, targets: Sequence[str] = ()) -> Trial:
    """The trial that asks whether ``case`` shows the finding, on all its targets or on some."""
    if finding.arms:
        programs = (case, *finding.others)
        trial = Trial(finding.trial, "replay", programs, finding.arms, finding.agreements)
        return trial.on(targets) if targets else trial
    trial = Trial(
        index=finding.trial,
        source="replay",
        cases=(case,),
        arms=tuple(Arm(target) for target in targets or finding.targets),
        intent="invalid" if finding.intent == "invalid" else "valid",
        spoilt=finding.spoilt,
        classes=tuple((op, "input", "out_of_range") for op in _given_wrong_ids(case)),
    )
    if finding.rule:
        return trial.by_rule(finding.rule)
    if finding.kind == "nondeterminism":
        return trial.again()
    return trial.through(finding.round_trip) if finding.round_trip else trial


def _given_wrong_ids(case: Case) -> tuple[str, ...]:
    """The ops that get ids which name nothing: that some refuse those is known."""
    vocabulary, arrays = everything(), case.input_arrays()
    try:
        shapes = shapes_of(case, vocabulary)
    except UNKNOWN_CALL:
        return ()
    found = []
    for node in case.graph.nodes:
        spec = vocabulary.get(node.op)
        if spec is None or any(name not in shapes for name in node.tensors()):
            continue
        call = placed(spec, node)
        given = tuple(shapes[name] for name in call.tensors)
        for slot, name in zip(call.slots, call.tensors, strict=True):
            if name not in arrays or not arrays[name].size:
                continue
            domain = spec.domain(slot, call.params, given)
            low, high = arrays[name].min(), arrays[name].max()
            if domain.kind == "ids" and (low < domain.low or high > domain.high):
                found.append(node.op)
    return tuple(dict.fromkeys(found))
