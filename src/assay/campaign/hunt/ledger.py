"""The books of a campaign: what was covered, what it cost, how long it may go on."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from assay.campaign.events import CpuSeconds, Summary, TrialFinished
from assay.campaign.hunt.cores import Cores, cpu_with_children
from assay.campaign.hunt.coverage import Coverage
from assay.campaign.hunt.options import HuntOptions
from assay.campaign.hunt.records import Explained
from assay.campaign.hunt.resuming import DEFINITIONS, definitions
from assay.campaign.hunt.state import load, save
from assay.campaign.hunt.techniques import Turns
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.triage.confirm import SECONDS_EACH
from assay.campaign.triage.reduction import reducible_bug
from assay.ir import REFERENCE, Finding
from assay.judge import Observed
from assay.libraries import Vocabulary
from assay.store import Campaign

#: What CPU time is spent on.
Account = Literal["generate", "execute", "judge", "explain"]
#: Of a budget, what is spent on reducing bugs at most, unless another share is asked for.
USUAL_SHARE = 0.15
#: What one bug takes, in the middle of many.
_SECONDS_TO_REDUCE = 5.0
#: Fewer, and libraries start for nothing.
_SECONDS_FOR_SCRIPTS = 30.0


class Ledger:
    """Counts of one campaign under way, those of its earlier runs included.

    ``began`` is the moment it was asked for, as ``time.monotonic`` has it.
    """

    def __init__(
        self,
        options: HuntOptions,
        campaign: Campaign,
        turns: Turns,
        vocabulary: Vocabulary,
        laboratory: Laboratory,
        began: float,
    ) -> None:
        self.state = load(campaign.statistics.get("state", {}))
        self.next = campaign.next_trial
        #: Trials before ``next`` that are not judged yet.
        self.open = set(campaign.open_trials)
        self._options = options
        self._campaign = campaign.id
        self._turns = turns
        self._laboratory = laboratory
        self._coverage = Coverage(turns.sources, vocabulary, self.state.covered)
        self._began = began
        self._elapsed_before = campaign.elapsed_seconds
        self._startup_seconds = time.monotonic() - began - options.prepared_seconds
        self._cpu_before = self.state.cpu_total
        self._host_cpu = time.process_time()
        self._confirmation_cpu = 0.0
        self._cores = Cores(laboratory.processes)
        self._used = 0.0
        self._definitions = definitions(options.targets)

    @contextmanager
    def account(self, account: Account, workers: Account | None = None) -> Iterator[None]:
        """Book the CPU time of what is done inside, that of workers perhaps elsewhere."""
        host, theirs = time.thread_time(), self._laboratory.cpu_seconds
        try:
            yield
        finally:
            self._add(account, time.thread_time() - host)
            self._add(workers or account, self._laboratory.cpu_seconds - theirs)

    def ended(self) -> None:
        """Trials and explanations are over; their workers are still there."""
        self._used = self._cores.used()

    @contextmanager
    def confirmation(self) -> Iterator[None]:
        """Book the last confirmation, whose processes are not the laboratory's."""
        before = cpu_with_children()
        try:
            yield
        finally:
            self._confirmation_cpu = cpu_with_children() - before
            self._add("explain", self._confirmation_cpu)

    def explained(self, explained: Explained) -> None:
        """Book the explanation of a trial, which another thread did."""
        self._add("explain", explained.host_seconds + explained.worker_seconds)
        if explained.searched is not None:
            self.state.searches += 1
            self.state.evaluations += explained.searched.evaluations
            self.state.searched_out += explained.searched.shown

    def _add(self, account: Account, seconds: float) -> None:
        name = f"cpu_{account}"
        setattr(self.state, name, getattr(self.state, name) + seconds)

    def count(self, observed: Observed) -> None:
        """A trial was judged."""
        peers = observed.peers().traces
        finished = [target for target, trace in peers.items() if trace.status == "ok"]
        if observed.trial.intent == "valid":
            self.state.valid_intended += 1
            self.state.valid += any(target != REFERENCE for target in finished)
        self.state.at_an_edge += self._coverage.at_an_edge(observed.trial.classes)
        last = observed.trial.cases[0].graph.nodes[-1]
        if len(observed.implementations(finished, last.op)) >= 2 or _by_rule(observed):
            self._coverage.add(observed.trial.classes)
            self.state.covered = self._coverage.bits
        self.open |= set(range(self.next, observed.trial.index))
        self.open.discard(observed.trial.index)
        self.next = max(self.next, observed.trial.index + 1)

    @property
    def trials(self) -> int:
        """How many trials were judged."""
        return self.next - len(self.open)

    def elapsed(self) -> float:
        """Seconds since it was asked for, earlier runs included."""
        return self._elapsed_before + time.monotonic() - self._began

    def spent(self, findings: Mapping[str, Finding], more: float = 0.0) -> bool:
        """Is the budget used up, but for ``more`` seconds and what the last confirmation needs?"""
        budget = self._options.budget_seconds
        if budget is None:
            return False
        reducible = sum(map(reducible_bug, findings.values()))
        more += min(reducible * _SECONDS_TO_REDUCE, self._share() * budget)
        return self.elapsed() + more >= budget - self._last_seconds(findings)

    def _last_seconds(self, findings: Mapping[str, Finding]) -> float:
        """What the last confirmation may take: scripts, each of which starts a library again.

        Every bug was seen by workers of its own before, so that most of the time is for trials.
        """
        bugs = sum(finding.category == "bug" for finding in findings.values())
        last = self._startup_seconds + bugs * SECONDS_EACH if bugs else 0.0
        budget = self._options.budget_seconds or 0.0
        return min(last, max(budget / 10, min(_SECONDS_FOR_SCRIPTS, budget / 4)))

    def _share(self) -> float:
        """Of the time, what may be spent on reducing."""
        asked = self._options.reduce_share
        usual = USUAL_SHARE if self._options.budget_seconds is not None else 0.0
        return usual if asked is None else asked

    def reducing_until(self, findings: Mapping[str, Finding]) -> float:
        """When to stop reducing, as ``elapsed`` counts."""
        budget, now = self._options.budget_seconds, self.elapsed()
        if budget is None:
            return now * (1 + self._share())
        return min(now + self._share() * budget, budget - self._last_seconds(findings))

    def late(self) -> bool:
        """Is it time to end whatever goes on, the last confirmation too?"""
        budget = self._options.budget_seconds
        return budget is not None and self.elapsed() > budget + max(10.0, budget / 20) / 2

    def statistics(self) -> dict[str, Any]:
        """What is saved with every trial."""
        self.state.cpu_total = self._cpu_total()
        limits = {"cases": self._options.cases, "budget_seconds": self._options.budget_seconds}
        plain = {"state": save(self.state), "limits": limits, "coverage": self._shares()}
        plain |= {"offers": self._laboratory.offers}
        plain |= {DEFINITIONS: self._definitions}
        learned = self._turns.state()
        return {**plain, "sources": learned} if learned else plain

    def _searches(self) -> dict[str, int]:
        """How many searches there were, what they evaluated, and where something showed."""
        state = self.state
        if not state.searches:
            return {}
        shown = {"evaluations": state.evaluations, "shown": state.searched_out}
        return {"searches": state.searches, **shown}

    def _shares(self) -> dict[str, float]:
        """How much of the vocabulary was compared, and how daring the cases were."""
        coverage, state = self._coverage, self.state
        return {
            "ops": coverage.ops_covered / max(1, coverage.ops_total),
            "parameters": coverage.parameters,
            "classes": coverage.covered / max(1, coverage.total),
            "valid": state.valid / max(1, state.valid_intended),
            "edges": state.at_an_edge / max(1, self.trials),
        }

    def _cpu_total(self) -> float:
        """Everything this campaign cost, earlier runs of it included."""
        workers = self._laboratory.startup_cpu_seconds() + self._laboratory.all_cpu_seconds
        workers += self._confirmation_cpu
        return self._cpu_before + time.process_time() - self._host_cpu + workers

    @property
    def compared(self) -> bool:
        """Was any op compared?"""
        return self._coverage.ops_covered > 0

    def progress(self, observed: Observed) -> TrialFinished:
        """The event that a trial was judged."""
        coverage = self._coverage
        return TrialFinished(
            index=observed.trial.index,
            technique=observed.trial.source,
            valid=any(trace.status == "ok" for trace in observed.traces.values()),
            intent=observed.trial.intent,
            ops_covered=coverage.ops_covered,
            ops_total=coverage.ops_total,
            classes_covered=coverage.covered,
            classes_total=coverage.total,
            op=observed.trial.cases[0].graph.nodes[-1].op,
            rule=observed.trial.rule,
            inputs=_inputs(observed),
        )

    def summary(
        self,
        findings: tuple[Finding, ...],
        interrupted: bool,
        shares: Mapping[str, float],
        unexplained: int,
        untested: str,
    ) -> Summary:
        """How it ended; ``shares`` are more of what was covered, the rest as in ``Summary``."""
        state = self.state
        return Summary(
            campaign=self._campaign,
            seed=self._options.seed,
            cases=self.trials,
            trials=self.trials,
            seconds=self.elapsed(),
            cpu_seconds=CpuSeconds(
                generate=state.cpu_generate,
                execute=state.cpu_execute,
                judge=state.cpu_judge,
                explain=state.cpu_explain,
                total=self._cpu_total(),
            ),
            targets=self._laboratory.targets,
            coverage={**self._shares(), **shares},
            suppressed=dict(state.suppressed),
            findings=findings,
            store=self._options.store,
            interrupted=interrupted,
            faults=state.harness_errors,
            left_out=tuple(
                target.name
                for target in self._options.targets
                if target.name not in self._laboratory.targets
            ),
            skipped=dict(state.skipped),
            cores=self._used,
            unexplained=unexplained,
            untested=untested,
            searches=self._searches(),
        )


def _inputs(observed: Observed) -> int:
    """On how many inputs a call was compared with its program by a rule."""
    return max((trace.draws for trace in observed.traces.values()), default=0) * _by_rule(observed)


def _by_rule(observed: Observed) -> bool:
    """Did a call and its program by a rule both finish?"""
    trial, traces = observed.trial, observed.traces
    return bool(trial.rule) and all(
        arm.name in traces and traces[arm.name].status == "ok" for arm in trial.arms
    )
