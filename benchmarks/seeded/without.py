"""Which findings would be there without any fault?"""

from collections.abc import Sequence

from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.trials import trial_of
from assay.campaign.triage.replay import laboratory_for
from assay.ir import Finding
from assay.judge import oracle, symptom
from assay.targets import builtin_targets
from seeded.targets import healthy, name_of


def library_own(target: str, findings: Sequence[Finding]) -> frozenset[str]:
    """Ids of the findings whose case is disputed in the same way on healthy targets.

    Whoever is blamed there: with a fault, one more is wrong about the same case.
    """
    if not findings:
        return frozenset()
    known = {**builtin_targets(), name_of(target): healthy(target)}
    with laboratory_for(findings, known) as laboratory:
        return frozenset(finding.id for finding in findings if _disputed(finding, laboratory))


def _disputed(finding: Finding, laboratory: Laboratory) -> bool:
    expected = (symptom(finding).kind, finding.stage, finding.op)
    seen = oracle(finding.oracle).judge(laboratory.observe(trial_of(finding, finding.case)))
    return any((other.kind, other.stage, other.op) == expected for other in seen)
