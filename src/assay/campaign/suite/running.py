"""ONNX's own cases on several runtimes: harvested, run, judged, and recorded."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from assay.campaign.events import (
    Event,
    FindingRecorded,
    Progressed,
    SuiteFinished,
    TargetChanged,
)
from assay.campaign.running.start import cannot_start
from assay.campaign.suite.asking import LIMITS, answers, contents, harvest
from assay.campaign.suite.findings import finding_of, grouped, recorded, suspects, telling
from assay.campaign.suite.request import Request, selected
from assay.campaign.suite.reviewing import Reviewed, Reviewer
from assay.errors import TargetError
from assay.execute import Hello, StartFailure, Supervisor, TargetLost
from assay.ir import Finding
from assay.ir.suite import Outcome, SuiteCase, SuiteResult
from assay.store import Store, open_store
from assay.targets import Target

#: The technique in a campaign's configuration, and what the suite is called.
TECHNIQUE = "onnx-suite"

#: Hears events while something is waited for.
Tell = Callable[[Event], None]


def run_suite(request: Request, tell: Tell = lambda event: None) -> Iterator[Event]:
    """Run the suite to its end; what it finds is in the store before the last event.

    ``tell`` hears of progress, on the same thread, between two events.
    """
    began = time.monotonic()
    everyone = _everyone(request)
    with open_store(request.store) as store, Supervisor(everyone, LIMITS, standbys=False) as pool:
        for target in request.targets:
            yield TargetChanged(target.name, "starting")
        hellos = _started(pool, everyone)
        try:
            yield Progressed("reading the cases", 0, 1)
            found = contents(pool, request.referee.name)
            ops = selected(request.ops, found.ops)
            cases = harvest(pool, request.referee.name, ops)
            session = _Session(pool, everyone, cases, tell)
            first = session.review(cases)
            again = session.again(first)
        except TargetLost as error:
            raise TargetError(str(error)) from None
        named = {target.name for target in request.targets}
        kept = [item for item in first if item.target in named]
        campaign = store.start_campaign(
            0,
            {
                "techniques": [TECHNIQUE],
                "suite": found.version,
                "ops": list(request.ops),
                "targets": [target.name for target in request.targets],
            },
            {name: hello.versions for name, hello in hellos.items()},
            {name: hello.machine for name, hello in hellos.items()},
        )
        told, about = _record(store, campaign.id, kept, again, session.targets, hellos)
        elapsed = time.monotonic() - began
        store.finish_campaign(campaign.id, {"cases": len(cases)}, elapsed)
    for finding, new in told:
        yield FindingRecorded(finding, new)
    result = SuiteResult(
        suite="onnx",
        version=found.version,
        opset=found.opset,
        targets=tuple(target.name for target in request.targets),
        versions={name: hello.versions for name, hello in hellos.items() if name in named},
        cases=len(cases),
        outcomes=tuple(_outcome(item, about) for item in kept),
        seconds=elapsed,
        campaign=campaign.id,
        store=request.store,
    )
    yield SuiteFinished(result, tuple(finding for finding, _ in told))


def _everyone(request: Request) -> tuple[Target, ...]:
    names = {target.name for target in request.targets}
    extra = () if request.referee.name in names else (request.referee,)
    return (*request.targets, *extra)


def _started(pool: Supervisor, targets: Sequence[Target]) -> dict[str, Hello]:
    """What every target said when it started; ``TargetError`` if one did not."""
    told = pool.start()
    for target in targets:
        answer = told[target.name]
        if isinstance(answer, StartFailure):
            raise TargetError(f"{target.name}: {cannot_start(target, answer)}")
    return {name: answer for name, answer in told.items() if isinstance(answer, Hello)}


class _Session:
    """Targets at work on the cases."""

    def __init__(
        self,
        pool: Supervisor,
        targets: Sequence[Target],
        cases: Sequence[SuiteCase],
        tell: Tell,
    ) -> None:
        self.targets = {target.name: target for target in targets}
        self._pool = pool
        self._tell = tell

    def review(self, cases: Sequence[SuiteCase], what: str = "running cases") -> list[Reviewed]:
        """Every case on every target, judged."""
        total = len(cases) * len(self.targets)
        found = answers(
            self._pool,
            [(name, cases) for name in self.targets],
            on_answer=lambda done: self._tell(Progressed(what, done, total)),
        )
        reviewer = Reviewer(self._pool, tuple(self.targets.values()), cases)
        return reviewer.reviewed(found, lambda *step: self._tell(Progressed(*step)))

    def again(self, reviewed: Sequence[Reviewed]) -> dict[tuple[str, str], Reviewed]:
        """What would be recorded, asked once more of new processes, by target and case."""
        cases = {item.case.name: item.case for item in reviewed if recorded(item)}
        if not cases:
            return {}
        self._pool.renew(list(self.targets))
        second = self.review(tuple(cases.values()), "confirming")
        return {(item.target, item.case.name): item for item in second}


def _record(
    store: Store,
    campaign: str,
    reviewed: Sequence[Reviewed],
    again: Mapping[tuple[str, str], Reviewed],
    targets: Mapping[str, Target],
    hellos: Mapping[str, Hello],
) -> tuple[list[tuple[Finding, bool]], dict[tuple[str, str], Finding]]:
    """Store the findings: each with whether it is new; and which one is about a target and case."""
    told: list[tuple[Finding, bool]] = []
    about: dict[tuple[str, str], Finding] = {}
    groups = grouped(reviewed, targets)
    suspected = _suspected(groups, reviewed)
    for trial, (group, suspect) in enumerate(zip(groups, suspected, strict=True)):
        second = again.get((group[0].target, group[0].case.name))
        finding, arrays = finding_of(group, suspect, targets, hellos, second, campaign, trial)
        (new,) = store.record_trial(campaign, trial, [(finding, arrays)], {}, 0.0)
        kept = store.finding(finding.fingerprint)
        told.append((kept, new))
        about.update(((item.target, item.case.name), kept) for item in group)
    return told, about


def _suspected(groups: Sequence[Sequence[Reviewed]], reviewed: Sequence[Reviewed]) -> list[str]:
    """What tells each group from the cases of its operator that pass there."""
    sound: dict[tuple[str, str], list[SuiteCase]] = {}
    for item in reviewed:
        if item.outcome.status == "passes":
            sound.setdefault((item.target, item.case.op), []).append(item.case)
    alike: dict[tuple[str, str, str], list[int]] = {}
    for place, (first, *_) in enumerate(groups):
        apart = first.outcome.difference
        key = (first.target, first.case.op, apart.what if apart else first.outcome.message)
        alike.setdefault(key, []).append(place)
    found = [""] * len(groups)
    for (target, op, _), places in alike.items():
        names = [suspects(groups[n][0].case, sound.get((target, op), ())) for n in places]
        for place, name in zip(places, telling(names), strict=True):
            found[place] = name
    return found


def _outcome(item: Reviewed, about: Mapping[tuple[str, str], Finding]) -> Outcome:
    known = about.get((item.target, item.case.name))
    if known is None:
        return item.outcome
    return msgspec.structs.replace(item.outcome, finding=known.id, category=known.category)
