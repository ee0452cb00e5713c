"""Does a finding still show? Run its case again on its targets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec

from assay.campaign.check.again import replay_model, same_files
from assay.campaign.faults import Faults
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.start import cannot_start
from assay.campaign.running.trials import trial_of
from assay.campaign.suite.again import replay_case
from assay.errors import TargetError
from assay.execute import Hello, Limits, StartFailure, Supervisor
from assay.ir import Finding, machine_changes
from assay.ir.model import model_of
from assay.ir.suite import suite_case_of
from assay.judge import shown_on
from assay.targets import Target, resolve


class Replay(msgspec.Struct, frozen=True):
    """How often a finding showed again, and with which other versions or on what other machine.

    ``machine_differs`` says what was as it is not here: of records that say it. ``fixed`` and
    ``still`` are the targets it blames, if it shows on some of them only.
    """

    id: str
    reproduced: int
    attempts: int
    message: str
    versions_differ: str = ""
    machine_differs: str = ""
    fixed: tuple[str, ...] = ()
    still: tuple[str, ...] = ()


def replay(
    findings: Sequence[Finding],
    known: Mapping[str, Target],
    faults: Faults,
    attempts: int = 2,
    limits: Limits | None = None,
    over: Callable[[], bool] | None = None,
) -> Iterator[Replay]:
    """Run each finding's reduced case again, or its model, in new processes.

    One that Assay itself fails on is left out. ``Closed`` once ``over`` is true.
    """
    cases = [finding for finding in findings if not _alone(finding)]
    for finding in findings:
        if model_of(finding.case) is not None:
            same_files(finding)  # before anything is started
    with laboratory_for(cases, known, limits, over) as laboratory:
        for finding in findings:
            result = None
            with faults.excused(f"{finding.id} ({finding.kind} of {finding.op}) was not replayed"):
                if suite_case_of(finding.case) is not None:
                    shown, hellos = replay_case(finding, known, attempts)
                elif model_of(finding.case) is None:
                    trial, hellos = trial_of(finding, finding.case), dict(laboratory.hellos)
                    shown = [shown_on(finding, laboratory.observe(trial)) for _ in range(attempts)]
                else:
                    shown, hellos = replay_model(finding, known, attempts)
                result = _replay(finding, shown, hellos)
            if result is not None:
                yield result


def _alone(finding: Finding) -> bool:
    """Is it about a whole model, or a case of a suite, which have targets of their own?"""
    return model_of(finding.case) is not None or suite_case_of(finding.case) is not None


@contextmanager
def laboratory_for(
    findings: Sequence[Finding],
    known: Mapping[str, Target],
    limits: Limits | None = None,
    over: Callable[[], bool] | None = None,
) -> Iterator[Laboratory]:
    """New processes of every target that these findings need; ``TargetError`` if one fails.

    Once ``over`` is true, whoever waits for them gets ``Closed``.
    """
    names = list(dict.fromkeys(target for finding in findings for target in finding.targets))
    targets = resolve(names, known)
    for finding in findings:
        _same_platforms(finding, {target.name: target for target in targets})
    with Supervisor(targets, limits, standbys=False, over=over) as supervisor:
        answers = supervisor.start()
        for target in targets:
            answer = answers[target.name]
            if isinstance(answer, StartFailure):
                raise TargetError(f"{target.name}: {cannot_start(target, answer)}")
        hellos = {name: answer for name, answer in answers.items() if isinstance(answer, Hello)}
        yield Laboratory(supervisor, targets, hellos)


def _same_platforms(finding: Finding, targets: Mapping[str, Target]) -> None:
    """``TargetError`` if a name means something else now: another answer would be no news."""
    for name, then in finding.platforms.items():
        now = targets[name].platform(then.versions) if name in targets else then
        if now.identity != then.identity:
            raise TargetError(
                f"{name} was {then.identity} when {finding.id} was found, and is {now.identity} "
                "now. Replay it with the configuration of then (--config)."
            )


def _replay(
    finding: Finding, shown: Sequence[frozenset[str] | None], hellos: Mapping[str, Hello]
) -> Replay:
    """``shown``: on whom each attempt showed it, None if it did not."""
    attempts, reproduced = len(shown), sum(on is not None for on in shown)
    on = frozenset().union(*(item for item in shown if item is not None))
    fixed = tuple(name for name in finding.blamed if on and name not in on)
    then = {name: item.machine for name, item in finding.platforms.items() if item.machine.cpu}
    machine = machine_changes(then, {name: hello.machine for name, hello in hellos.items()})
    versions = _version_changes(finding, hellos)
    outcome = "still present" if reproduced else "not present any more"
    if machine and not versions and not reproduced:
        outcome = "does not show here"  # nobody repaired anything
    return Replay(
        id=finding.id,
        reproduced=reproduced,
        attempts=attempts,
        message=f"{outcome}: reproduced {reproduced} of {attempts}",
        versions_differ=versions,
        machine_differs=f"found on {machine}" if machine else "",
        fixed=fixed,
        still=tuple(name for name in finding.blamed if fixed and name in on),
    )


def _version_changes(finding: Finding, hellos: Mapping[str, Hello]) -> str:
    changes = {
        f"{library} {then} -> {hello.versions.get(library, 'none')}"
        for target, hello in hellos.items()
        for library, then in finding.versions.get(target, {}).items()
        if hello.versions.get(library) != then
    }
    return ", ".join(sorted(changes))
