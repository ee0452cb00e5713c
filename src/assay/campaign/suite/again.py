"""Is a finding about a case of a suite still there? The case again, on the finding's targets."""

from collections.abc import Mapping

from assay.campaign.running.start import cannot_start
from assay.campaign.suite.asking import LIMITS, answers
from assay.campaign.suite.reviewing import Reviewer
from assay.errors import TargetError
from assay.execute import Hello, StartFailure, Supervisor
from assay.ir import Finding
from assay.ir.suite import suite_case_of
from assay.targets import Target, resolve


def replay_case(
    finding: Finding, known: Mapping[str, Target], attempts: int
) -> tuple[list[frozenset[str] | None], dict[str, Hello]]:
    """On whom of those it blames each of ``attempts`` runs shows the finding, None where it does
    not; and who answered.
    """
    case = suite_case_of(finding.case)
    assert case is not None  # callers look first
    targets = resolve(finding.targets, known)
    wrong = frozenset(finding.blamed or set(finding.targets) - set(finding.evidence.believed))
    shown: list[frozenset[str] | None] = []
    with Supervisor(targets, LIMITS, standbys=False) as pool:
        told = pool.start()
        for target in targets:
            answer = told[target.name]
            if isinstance(answer, StartFailure):
                raise TargetError(f"{target.name}: {cannot_start(target, answer)}")
        reviewer = Reviewer(pool, targets, [case])
        for _ in range(attempts):
            found = answers(pool, [(target.name, [case]) for target in targets])
            items = reviewer.reviewed(found, lambda what, done, total: None)
            on = frozenset(
                item.target
                for item in items
                if item.target in wrong and item.outcome.category == finding.category
            )
            shown.append(on or None)
    return shown, {name: item for name, item in told.items() if isinstance(item, Hello)}
