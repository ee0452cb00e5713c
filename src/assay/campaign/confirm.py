"""The last confirmation: every bug once more, in processes that have not hunted."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from assay.campaign.replay import replay
from assay.ir import Finding
from assay.targets import Target

#: A bug that does not show in the first of these gets the others.
_ATTEMPTS = 3
#: Seconds that one bug takes, for those who must end in time.
SECONDS_EACH = 0.3


def unconfirmed(findings: Iterable[Finding], targets: Sequence[Target]) -> tuple[Finding, ...]:
    """The bugs of these targets that no new process was asked for yet, the latest first.

    In this order each meets other predecessors than in the hunt: what depended on
    the state of a worker does not show again.
    """
    names = {target.name for target in targets}
    bugs = [
        item
        for item in findings
        if item.category == "bug" and not item.evidence.anew and names.issuperset(item.targets)
    ]
    return tuple(sorted(bugs, key=lambda item: (-item.trial, item.id)))


def confirmed_anew(bugs: Sequence[Finding], targets: Sequence[Target]) -> Iterator[Finding]:
    """Each bug as new processes see it: confirmed once more, or flaky.

    ``TargetError`` if a target does not start again.
    """
    known = {target.name: target for target in targets}
    for bug, again in zip(bugs, replay(bugs, known, attempts=1), strict=True):
        reproduced, attempts = again.reproduced, again.attempts
        if not reproduced:
            (more,) = replay([bug], known, attempts=_ATTEMPTS - 1)
            reproduced, attempts = more.reproduced, attempts + more.attempts
        evidence = msgspec.structs.replace(
            bug.evidence,
            anew=True,
            confirmations=bug.evidence.confirmations + reproduced,
            attempts=bug.evidence.attempts + attempts,
            reason=bug.evidence.reason if reproduced else "a new process does not show it",
        )
        yield msgspec.structs.replace(
            bug,
            evidence=evidence,
            category="bug" if reproduced else "flaky",
            flaky=bug.flaky or reproduced < attempts,
        )
