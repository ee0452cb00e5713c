"""Confirmation: every bug once more, in processes that have not hunted.

At once by its case, in workers that were never asked anything: what a library was asked before
may have left it in a state where it fails at everything. At the end by its script, in
interpreters that know nothing of Assay; where that does not show it, or there is none, by its
case in new workers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Protocol

import msgspec

from assay.campaign.faults import Faults
from assay.campaign.running.cheapest import decisive, sparing
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.trials import trial_of
from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.replay import replay
from assay.campaign.triage.reproducer import Checked, checked
from assay.execute import Closed, Limits
from assay.ir import Array, Finding, ScriptRun, platform_of
from assay.judge import shows
from assay.reproduce import script, sides_of, speaker_of
from assay.targets import Target

#: How a script ends where the fault is not.
_NOT_PRESENT = 1
#: A bug that does not show in the first of these gets the others.
_ATTEMPTS = 3
#: Seconds that one bug takes, for those who must end in time.
SECONDS_EACH = 0.6
#: How often a wait looks whether it is to end.
_POLL_SECONDS = 0.2
#: Scripts that run side by side, if on different backends.
_SIDE_BY_SIDE = 2


def unconfirmed(findings: Iterable[Finding], targets: Sequence[Target]) -> tuple[Finding, ...]:
    """The bugs of these targets whose script was not run yet, the latest first.

    In this order each meets other predecessors than in the hunt: what depended on
    the state of a worker does not show again.
    """
    names = {target.name for target in targets}
    bugs = [
        item
        for item in findings
        if item.category == "bug" and item.script is None and names.issuperset(item.targets)
    ]
    return tuple(sorted(bugs, key=lambda item: (-item.trial, item.id)))


def seen_afresh(bug: Finding, laboratory: Laboratory, seconds: float) -> Finding:
    """A bug as workers see it that were never asked anything: confirmed once more, or flaky.

    By as few targets as tell who is wrong, if they tell the same; else by all. Those who compile
    are left to the script, which each of the blamed must show, if others are to blame, too.
    """
    quick, trial = sparing(bug), trial_of(bug, bug.case)
    few = decisive(quick)
    if few != bug.targets:
        asked = trial_of(bug, bug.case, few)
        if shows(quick, laboratory.observe(asked, seconds=seconds, fresh=True)):
            return _confirmed(bug, 1, 1)
    for attempt in range(1, _ATTEMPTS + 1):
        if shows(bug, laboratory.observe(trial, seconds=seconds, fresh=True)):
            return _confirmed(bug, 1, attempt)
    return _confirmed(bug, 0, _ATTEMPTS)


Bug = tuple[Finding, dict[str, Array]]


class Stop(Protocol):
    """Says when to end: a ``threading.Event``, for one."""

    def is_set(self) -> bool:
        """Is it time?"""


def confirmed_anew(
    bugs: Sequence[Bug],
    targets: Sequence[Target],
    faults: Faults,
    stop: Stop,
    limits: Limits | None = None,
) -> Iterator[Finding]:
    """Each bug, with its arrays, as new processes see it: confirmed once more, or flaky.

    Those whose script shows them come first. One that Assay itself fails on is left out.
    ``TargetError`` if a target does not start again. Ends early once ``stop`` is set.
    """
    silent = []
    for bug in _scripted(bugs, targets, faults, stop):
        if bug.category != "bug":
            yield bug
        elif bug.script is None or bug.script.reason:
            silent.append(bug)
        else:
            yield _confirmed(bug, 1, 1)
    known = {target.name: target for target in targets}
    if stop.is_set():
        return
    with suppress(Closed):
        yield from _replayed(silent, known, faults, stop, limits)


def _replayed(
    bugs: Sequence[Finding],
    known: Mapping[str, Target],
    faults: Faults,
    stop: Stop,
    limits: Limits | None,
) -> Iterator[Finding]:
    """Each bug as its case shows it in new workers; ``Closed`` once ``stop`` is set."""
    waiting = {bug.id: bug for bug in bugs}
    for again in replay(bugs, known, faults, 1, limits, stop.is_set):
        bug, attempts = waiting[again.id], again.attempts
        # Not the same blame: not confirmed.
        reproduced = 0 if again.fixed else again.reproduced
        if not reproduced:
            more = list(replay([bug], known, faults, _ATTEMPTS - 1, limits, stop.is_set))
            if not more:
                continue
            reproduced = 0 if more[0].fixed else more[0].reproduced
            attempts += more[0].attempts
        yield _confirmed(bug, reproduced, attempts)


def _confirmed(bug: Finding, reproduced: int, attempts: int) -> Finding:
    evidence = msgspec.structs.replace(
        bug.evidence,
        anew=True,
        confirmations=bug.evidence.confirmations + reproduced,
        attempts=bug.evidence.attempts + attempts,
        reason=bug.evidence.reason if reproduced else "a new process does not show it",
    )
    return msgspec.structs.replace(
        bug,
        evidence=evidence,
        category="bug" if reproduced else "flaky",
        flaky=bug.flaky or reproduced < attempts,
    )


def _scripted(
    bugs: Sequence[Bug], targets: Sequence[Target], faults: Faults, stop: Stop
) -> Iterator[Finding]:
    """Each bug with what its script says, in the given order, until ``stop`` is set.

    As it was, if Assay itself fails on it.
    """
    interpreters = Interpreters(targets)
    pool = ThreadPoolExecutor(_SIDE_BY_SIDE)
    try:
        asked = [(bug, pool.submit(scripted, bug, own, interpreters)) for bug, own in bugs]
        for bug, answer in asked:
            while not stop.is_set() and not answer.done():
                wait([answer], timeout=_POLL_SECONDS)
            if stop.is_set():
                return
            told = bug
            # Here, not in the pool: whoever listens does so on this thread.
            with faults.excused(f"the script of {bug.id} ({bug.kind} of {bug.op}) was not run"):
                told = answer.result()
            yield told
    finally:
        # In this order: whoever waits for an interpreter is told that it is gone.
        interpreters.close()
        pool.shutdown(cancel_futures=True)


def script_of(bug: Finding, arrays: dict[str, Array]) -> str | None:
    """The script that showed the bug when it was run; None if none did."""
    shown = bug.script is not None and not bug.script.reason
    return script(bug, arrays) if shown else None


def scripted(bug: Finding, arrays: dict[str, Array], interpreters: Interpreters) -> Finding:
    """The bug with what its script says in these interpreters.

    As it was, if one of its targets changes the library before use and the script does not
    tell that change: what a prelude does may depend on who calls.
    """
    result = checked(bug, arrays, interpreters.verify)
    if interpreters.changed(bug.targets):
        if result.reason or not _told_by_the_change(bug, arrays, result, interpreters):
            return bug
    elif result.faulty is not None and result.reason:
        # A fork is as good as a fresh interpreter to say yes, not to say no; its memory is another.
        memory = bug.kind == "nondeterminism"
        again = interpreters.verify_fresh if memory else interpreters.verify_denied
        result = checked(bug, arrays, again)
    run = ScriptRun(reason=result.reason, thorough=result.thorough)
    told = msgspec.structs.replace(bug, script=run)
    denied = result.faulty is not None and result.faulty.code == _NOT_PRESENT
    # What differs between runs may hide from a script; else it knows better than we do.
    return _confirmed(told, 0, 1) if denied and bug.kind != "nondeterminism" else told


def _told_by_the_change(
    bug: Finding, arrays: dict[str, Array], shown: Checked, interpreters: Interpreters
) -> bool:
    """Does the script end as it should without what changes the library: not there, or still there?

    The bug may be the library's own.
    """
    for target in speaker_of(bug, sides_of(bug, arrays)).sides.faulty:
        if interpreters.changed([target]):
            platform = platform_of(bug, target)
            if interpreters.verify_unchanged(shown.script, target, platform).code not in (0, 1):
                return False
    return True
