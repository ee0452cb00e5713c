"""Which findings would be there without any fault?"""

from collections.abc import Sequence

from assay.campaign.laboratory import Laboratory
from assay.errors import TargetError
from assay.execute import Hello, Supervisor
from assay.ir import Arm, Finding, Trial
from assay.judge import oracle
from assay.targets import builtin_targets, resolve
from seeded.targets import healthy, name_of


def library_own(target: str, findings: Sequence[Finding]) -> frozenset[str]:
    """Ids of the findings whose case is disputed in the same way on healthy targets.

    Whoever is blamed there: with a fault, one more is wrong about the same case.
    """
    if not findings:
        return frozenset()
    known = {**builtin_targets(), name_of(target): healthy(target)}
    names = dict.fromkeys(name for finding in findings for name in finding.targets)
    targets = resolve(list(names), known)
    with Supervisor(targets, standbys=False) as supervisor:
        hellos = {}
        for name, answer in supervisor.start().items():
            if not isinstance(answer, Hello):
                raise TargetError(f"{name}: {answer.message}")
            hellos[name] = answer
        laboratory = Laboratory(supervisor, targets, hellos)
        return frozenset(finding.id for finding in findings if _disputed(finding, laboratory))


def _disputed(finding: Finding, laboratory: Laboratory) -> bool:
    trial = Trial(
        index=finding.trial,
        source="replay",
        cases=(finding.case,),
        arms=tuple(Arm(target) for target in finding.targets),
        intent="invalid" if finding.intent == "invalid" else "valid",
        suspect_parameter=finding.suspect_parameter,
        repeat=finding.kind == "nondeterminism",
        round_trip=finding.round_trip,
    )
    expected = (finding.kind, finding.stage, finding.op)
    seen = oracle(finding.oracle).judge(laboratory.observe(trial))
    return any((other.kind, other.stage, other.op) == expected for other in seen)
