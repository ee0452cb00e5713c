"""Explained: from the disputes of a trial to findings, each explained only if it may be news."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from assay.campaign.cause import with_cause
from assay.campaign.explain import explain, finding_of
from assay.campaign.faults import Faults
from assay.campaign.hunt.records import Explained, Learned, Screened
from assay.campaign.hunt.screening import around, disputes_of, searchable
from assay.campaign.hunt.searching import Searched, Searching
from assay.campaign.hunt.state import State, key_of
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.triage.confirm import seen_afresh
from assay.ir import Array, Case, Finding, Trace, Trial, Verdict, content_hash
from assay.judge import Observed, Oracle, nearly_equal
from assay.judge.conventions import recognise_convention

#: The findings of an op that the store has, of any campaign.
OfOp = Callable[[str], tuple[Finding, ...]]
#: Of the usual deadline, what a call may take that is made to explain.
_SHARE_OF_DEADLINE = 1 / 3
#: A call may take as many times the CPU time of the trial's slowest arm, whatever that share is.
_TIMES_AS_LONG = 10
#: So often a disagreement that is no bug is put to all arms, of the times that it is explained:
#: those that compile take most of the time.
_ASKED_OF_ALL = 2


class Explainer:
    """Turns disputes into findings, on any thread.

    Reads what was explained before, in ``state`` and ``findings``, and changes neither: what is
    learned is handed back. Nobody may change what is remembered of a trial's kin meanwhile.
    ``seconds`` is the usual deadline.
    """

    def __init__(
        self,
        laboratory: Laboratory,
        oracles: Sequence[Oracle],
        state: State,
        findings: Mapping[str, Finding],
        of_op: OfOp,
        campaign: str,
        seed: int,
        faults: Faults,
        seconds: float,
    ) -> None:
        self.laboratory = laboratory
        self.oracles = oracles
        self.state = state
        self.findings = findings
        self.of_op = of_op
        self.campaign = campaign
        self.seed = seed
        self.faults = faults
        self.seconds = seconds

    def explained(self, screened: Screened) -> Explained:
        """The findings of a trial, in the order of its disputes."""
        host, workers = time.thread_time(), self.laboratory.cpu_seconds
        job = _Job(self, screened)
        learned = job.learned()
        return Explained(
            screened,
            learned,
            time.thread_time() - host,
            self.laboratory.cpu_seconds - workers,
            job.searched,
        )


class _Job:
    """The explanation of one trial, with a memory of its own."""

    def __init__(self, explainer: Explainer, screened: Screened) -> None:
        self._of = explainer
        self._screened = screened
        self._memory = State()
        self._found: dict[str, Finding] = {}
        traces = screened.executed.observed.traces.values()
        slowest = _TIMES_AS_LONG * max((trace.cpu_seconds for trace in traces), default=0.0)
        usual = explainer.seconds
        seconds = min(usual, max(usual * _SHARE_OF_DEADLINE, slowest))
        laboratory = explainer.laboratory
        self._observe = partial(laboratory.observe, seconds=seconds)
        self._rerun = partial(laboratory.observe, explaining=False, seconds=seconds)
        self._seconds = seconds
        self._ran: dict[tuple[str, str], tuple[Trace, ...]] = {}
        self.searched: Searched | None = None

    def _run(self, cases: Sequence[Case], target: str) -> tuple[Trace, ...]:
        """As ``Laboratory.run``; what was asked for this trial already is remembered."""
        key = (target, content_hash(list(cases)))
        if key not in self._ran:
            self._ran[key] = self._of.laboratory.run(cases, target, self._seconds)
        return self._ran[key]

    def learned(self) -> tuple[Learned, ...]:
        trial, own = self._screened.executed.trial, self._of
        found: list[Learned | None] = []
        if self._screened.verdicts:
            disputes = around(self._screened, own.oracles, self._rerun, own.faults)
            found = [
                self._finding(seen, verdict, trial if len(trial.cases) == 1 else seen.trial)
                for seen, verdict in disputes
            ]
        if not any(map(_is_bug, found)):
            found += self._found_by_search()
        return tuple(item for item in found if item is not None)

    def _found_by_search(self) -> list[Learned | None]:
        """What shows on other inputs and weights, if the trial asks for a search."""
        executed, own = self._screened.executed, self._of
        if not searchable(executed):
            return []
        found: list[Learned | None] = []

        def examined(case: Case) -> bool:
            trial = msgspec.structs.replace(executed.trial.plain().asking(case), search=None)
            disputes = disputes_of(self._rerun(trial), own.oracles)
            learned = [self._finding(seen, verdict, trial) for seen, verdict in disputes]
            found.extend(learned)
            return any(_is_bug(item) for item in learned)

        traces = executed.observed.traces
        finished = [name for name in traces if traces[name].status == "ok"]
        targets = own.laboratory.searchable(executed.trial, finished)
        with own.faults.excused(f"the search of trial {executed.trial.index} did not end"):
            # A population takes longer than a case: the usual deadline holds.
            searching = Searching(executed.trial, targets, own.laboratory, examined, None)
            self.searched = searching.run()
        return found

    def _finding(self, observed: Observed, verdict: Verdict, trial: Trial) -> Learned | None:
        """The finding a verdict amounts to; None if Assay itself fails on it."""
        what = f"trial {trial.index}: the {verdict.kind} of {verdict.op} was not judged"
        with self._of.faults.excused(what):
            return self._explained(observed, verdict, trial)
        return None

    def _explained(self, observed: Observed, verdict: Verdict, trial: Trial) -> Learned:
        own = self._of
        convention = recognise_convention(verdict, observed)
        key = key_of(verdict, convention.id if convention is not None else "")
        before = own.state.known.get(key)
        if before is not None and key not in self._memory.known:
            self._memory.known[key] = msgspec.structs.replace(before)
        if not self._memory.needs_explaining(key):
            return Learned("", self._known(self._memory.known[key].fingerprint), {})
        known = self._memory.known.get(key)
        often = known is not None and known.explanations >= _ASKED_OF_ALL
        explained = explain(observed, verdict, self._observe, self._run, often)
        platforms = own.laboratory.platforms
        finding = finding_of(explained, trial, own.campaign, own.seed, platforms, observed)
        if finding.fingerprint not in own.findings and finding.fingerprint not in self._found:
            # Of any campaign: one defect has one id in a store.
            known_so = nearly_equal(finding, own.of_op(finding.op))
            finding = known_so or self._confirmed(finding, explained.arrays)
        if finding.category == "flaky":
            # What its workers were asked before may have left them in a state of their own.
            own.laboratory.renew(finding.targets)
        self._memory.learn(key, finding)
        self._found.setdefault(finding.fingerprint, finding)
        return Learned(key, finding, explained.arrays)

    def _confirmed(self, finding: Finding, arrays: dict[str, Array]) -> Finding:
        """With its cause; a bug as new workers see it."""
        laboratory = self._of.laboratory
        if finding.category == "bug":
            finding = seen_afresh(finding, laboratory, self._of.seconds)
        return with_cause(finding, laboratory, arrays)

    def _known(self, fingerprint: str) -> Finding:
        return self._of.findings.get(fingerprint) or self._found[fingerprint]


def _is_bug(learned: Learned | None) -> bool:
    return learned is not None and learned.finding.category == "bug"
