"""The trial that puts a finding's question again."""

from collections.abc import Sequence

from assay.ir import Arm, Case, Finding, Trial
from assay.libraries import everything
from assay.ops.placing import domains_of


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
    arrays = case.input_arrays()
    found = []
    for op, name, domain in domains_of(case, everything()):
        if domain.kind != "ids" or name not in arrays or not arrays[name].size:
            continue
        if arrays[name].min() < domain.low or arrays[name].max() > domain.high:
            found.append(op)
    return tuple(dict.fromkeys(found))
