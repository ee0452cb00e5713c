"""Reduce the case of a finding on real targets, judged by the oracle that found it."""

from collections.abc import Mapping, Sequence

import msgspec

from assay.campaign.cause import with_cause
from assay.campaign.explain import arrays_of
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.trials import trial_of
from assay.execute import InternalWorkerError
from assay.ir import (
    REFERENCE,
    Array,
    Case,
    Finding,
    Platform,
    Reduction,
    Verdict,
    believed,
    platform_of,
)
from assay.ir.model import model_of
from assay.ir.suite import suite_case_of
from assay.judge import HarnessError, Observed, oracle, same, symptom
from assay.judge.category import ATTEMPTS, categorised
from assay.judge.identity import BLAME, EVERYTHING, SYMPTOM
from assay.localize import EPSILON, Answer, by_change_rate, deviation, responsible
from assay.ops import OpSpec
from assay.reduce import Shown, reduce

#: Calls of the oracle for one finding. Each death costs a worker, and seconds.
CALLS = 200
CALLS_TO_DIE = 16
CALLS_TO_HANG = 4
#: Calls on top of these, to tell which parameters are responsible.
CALLS_TO_LOCALIZE = 120
#: Simplified cases that are confirmed on all targets, from the simplest on, before giving up.
_CONFIRMED = 8
#: Who answers fastest, first: the round trip is what a call costs.
_QUICK = ("torch", "numpy", "tensorflow")


def reducible_bug(finding: Finding) -> bool:
    """Is it a bug that can be reduced, and was not yet?"""
    whole = finding.others or model_of(finding.case) is not None or suite_case_of(finding.case)
    return finding.category == "bug" and finding.reduction is None and not whole


class Showing:
    """Does a case show a given finding: same kind, stage, op, blame, message, and a bug?"""

    def __init__(self, finding: Finding, laboratory: Laboratory) -> None:
        self._finding = finding
        self._laboratory = laboratory
        self._oracle = oracle(finding.oracle)
        self._targets: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that are asked until ``confirm``: few, if few can tell."""
        return self._targets or self._finding.targets

    def prepare(self) -> bool:
        """Choose the targets to ask; False if the finding does not show on any choice."""
        for targets in (_few(self._finding), self._finding.targets):
            self._targets = targets
            if targets and self.ask(self._finding.case) is not None:
                return True
        return False

    def shows(self, case: Case) -> Shown | None:
        """What the reducer asks."""
        seen = self.ask(case)
        return None if seen is None else Shown(_tensors(*seen))

    def ask(self, case: Case, everyone: bool = False) -> tuple[Observed, Verdict] | None:
        """The finding's verdict on a case, if that is what the case shows."""
        targets = self._finding.targets if everyone else self.targets
        trial = trial_of(self._finding, case, targets)
        if everyone and self._finding.oracle == "numeric":
            trial = trial.again()
        try:
            observed = self._laboratory.observe(trial)
            if self._finding.oracle == "numeric" and _varies(observed):
                return None
            for other in self._oracle.judge(observed):
                if not self._resembles(other):
                    continue
                verdict = categorised(
                    observed, other, self._laboratory.observe, self._laboratory.run
                )
                if same(self._finding, verdict, EVERYTHING):
                    return observed, verdict
        except (HarnessError, InternalWorkerError):
            # Not a case that the arms can be asked: our candidate's fault.
            return None
        return None

    def alike(self, case: Case) -> Answer:
        """Is there a disagreement of this kind on a case that may be quite another one?

        Blame may be open there: with another value the reference may have no opinion.
        """
        mine = self._finding
        try:
            observed = self._laboratory.observe(trial_of(mine, case, self.targets))
            for other in self._oracle.judge(observed):
                if not same(symptom(mine), other, SYMPTOM):
                    continue
                if other.blamed and not set(other.blamed) & set(mine.blamed):
                    continue
                judged = categorised(
                    observed, other, self._laboratory.observe, self._laboratory.run
                )
                open_vote = not other.blamed and judged.category not in ("rounding", "flaky")
                if judged.category == "bug" or open_vote:
                    return "shows"
        except (HarnessError, InternalWorkerError):
            return "silent"
        return "agree" if _answered(observed, mine) else "silent"

    def rate(self, case: Case) -> float | None:
        """The change rate between a blamed target and another one, on identical inputs."""
        mine = self._finding
        others = [t for t in self.targets if t not in (*mine.blamed, REFERENCE)]
        if not mine.blamed or not others:
            return None
        pair = (mine.blamed[0], others[0])
        try:
            traces = self._laboratory.observe(trial_of(mine, case, pair)).traces
        except (HarnessError, InternalWorkerError):
            return None
        first, second = (traces[target] for target in pair)
        if (first.status, second.status) != ("ok", "ok"):
            return None
        head = mine.evidence.where.partition(":")[0]
        shared = [n for n in first.arrays if n.startswith(head) and n in second.arrays]
        # Nothing deviates before the node: its inputs are the same.
        return max((deviation(first.arrays[n], second.arrays[n]) for n in shared), default=0.0) / (
            EPSILON
        )

    def _resembles(self, verdict: Verdict) -> bool:
        """Can it become the finding's verdict? Category and blame may yet change."""
        open_vote = verdict.evidence.reference_alone
        return same(symptom(self._finding), verdict, SYMPTOM if open_vote else BLAME)

    def confirm(self, case: Case) -> tuple[Observed, Verdict] | None:
        """The verdict of all targets, if every one of a few runs shows it."""
        seen = None
        for _ in range(_attempts(self._finding)):
            seen = self.ask(case, everyone=True)
            if seen is None:
                return None
        return seen


def _attempts(finding: Finding) -> int:
    return 1 if finding.kind == "crash" else ATTEMPTS


def _varies(observed: Observed) -> bool:
    return bool(oracle("nondeterminism").judge(observed))


def _answered(observed: Observed, finding: Finding) -> bool:
    """Did someone who is blamed work, and someone who is not?"""
    traces = observed.peers().traces
    ended = {name for name, trace in traces.items() if trace.status == "ok"}
    blamed = set(finding.blamed) or set(finding.targets)
    others = set(traces) - set(finding.blamed)
    # What dies, varies or changes on its way through a file needs nobody beside it.
    alone = finding.oracle in ("nondeterminism", "round-trip")
    return bool(ended & blamed) and (alone or bool(ended & others))


def _few(finding: Finding) -> tuple[str, ...]:
    """The blamed, the quickest that is not, and the reference; () if nobody is blamed."""
    others = [t for t in believed(finding) if t in finding.targets and t != REFERENCE]
    quickest = sorted(others, key=lambda t: _slowness(platform_of(finding, t)))
    if not finding.blamed or len(others) < 2:
        return ()
    kept = {*finding.blamed, quickest[0], REFERENCE}
    return tuple(target for target in finding.targets if target in kept)


def _slowness(platform: Platform) -> int:
    quick = platform.eager and platform.backend in _QUICK
    return _QUICK.index(platform.backend) if quick else len(_QUICK)


def _tensors(observed: Observed, verdict: Verdict) -> dict[str, Array]:
    """The tensors of the case as an arm has them that is not blamed."""
    traces = [t for name, t in observed.peers().traces.items() if name != REFERENCE]
    traces.sort(key=lambda trace: (trace.status != "ok", trace.arm in verdict.blamed))
    return traces[0].outputs() if traces else {}


def budget_for(finding: Finding) -> int:
    """How many calls of the oracle a finding is worth."""
    if finding.kind != "crash":
        return CALLS
    return CALLS_TO_DIE if finding.evidence.message.startswith("SIG") else CALLS_TO_HANG


def reduced(
    finding: Finding,
    laboratory: Laboratory,
    vocabulary: Mapping[str, OpSpec],
    calls: int | None = None,
    preset: str = "",
) -> tuple[Finding, dict[str, Array]] | None:
    """The finding with the simplest case found, and the arrays that show it.

    ``preset``: how the responsible parameters are told, see ``localized``.

    None if the finding does not show any more. Its identity (id, fingerprint,
    kind, stage, op, blame) stays; the original case stays beside the reduced one.
    """
    showing = Showing(finding, laboratory)
    if not showing.prepare():
        return None
    budget = calls or budget_for(finding)
    careful = finding.kind in (
        "nan",
        "inconsistency",
        "precision",
        "nondeterminism",
        "equivalence",
    )
    result = reduce(finding.case, showing.shows, vocabulary, finding.spoilt, budget, careful)
    if result is None:
        return None
    used = result.calls
    candidates: Sequence[Case] = [*reversed(result.steps[-_CONFIRMED:]), finding.case]
    for case in candidates:
        seen = showing.confirm(case)
        used += ATTEMPTS
        if seen is not None:
            kept = next((i + 1 for i, step in enumerate(result.steps) if step is case), 0)
            reduction = Reduction(calls=used, steps=kept, exhausted=result.exhausted)
            # Records of before have no cause: it is looked for in the case as it was.
            whole = finding if finding.cause is not None else with_cause(finding, laboratory)
            small = _updated(whole, *seen, reduction)
            return localized(small, finding.case, showing, vocabulary, preset), arrays_of(*seen)
    return None


def localized(
    finding: Finding,
    before: Case,
    showing: Showing,
    vocabulary: Mapping[str, OpSpec],
    preset: str = "",
) -> Finding:
    """The reduced finding with the parameters that are responsible, and those that do not matter.

    ``before`` is the case that was reduced. The referee decides; with the preset ``audee`` the
    published thresholds on the change rate do, for findings about numbers.
    """
    single = [case for case in (finding.case, before) if len(case.graph.nodes) == 1]
    if finding.intent == "invalid" or finding.case not in single:
        return finding  # the parameter that should have been refused is known
    budget = min(CALLS_TO_LOCALIZE, budget_for(finding))
    if preset == "audee" and finding.kind in ("inconsistency", "nan", "precision"):
        found = by_change_rate(single, showing.rate, vocabulary, budget)
    else:
        found = responsible(single, showing.alike, vocabulary, budget)
    assert finding.reduction is not None
    reduction = msgspec.structs.replace(
        finding.reduction,
        calls=finding.reduction.calls + found.calls,
        irrelevant=found.irrelevant,
        partial=found.partial,
        together=bool(found.together),
    )
    return msgspec.structs.replace(
        finding, responsible=found.single or found.together, reduction=reduction
    )


def _updated(
    finding: Finding, observed: Observed, verdict: Verdict, reduction: Reduction
) -> Finding:
    attempts = _attempts(finding)
    return msgspec.structs.replace(
        finding,
        case=observed.case,
        params=verdict.params,
        node=verdict.node,
        targets=verdict.targets,
        # That it was seen before, and in new processes, stays true.
        evidence=msgspec.structs.replace(
            verdict.evidence,
            confirmations=finding.evidence.confirmations + attempts,
            attempts=finding.evidence.attempts + attempts,
            anew=finding.evidence.anew,
        ),
        magnitude=verdict.magnitude,
        reduction=reduction,
        reproducer=None,  # another case, another script
        script=None,
    )
