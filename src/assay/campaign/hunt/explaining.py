"""Explained: from the disputes of a trial to findings, each explained only if it may be news."""

from collections.abc import Callable

from assay.campaign.cause import with_cause
from assay.campaign.explain import explain, finding_of
from assay.campaign.faults import Faults
from assay.campaign.hunt.records import Explained, Screened
from assay.campaign.hunt.state import State, key_of
from assay.campaign.running.laboratory import Laboratory
from assay.ir import Array, Finding, Trial, Verdict
from assay.judge import Observed, nearly_equal
from assay.judge.conventions import recognise_convention

#: The findings of an op that the store has, of any campaign.
OfOp = Callable[[str], tuple[Finding, ...]]


class Explainer:
    """Turns disputes into findings. What was explained once is remembered in ``state``."""

    def __init__(
        self,
        laboratory: Laboratory,
        state: State,
        findings: dict[str, Finding],
        of_op: OfOp,
        campaign: str,
        seed: int,
        faults: Faults,
    ) -> None:
        self._laboratory = laboratory
        self._state = state
        self._findings = findings
        self._of_op = of_op
        self._campaign = campaign
        self._seed = seed
        self._faults = faults

    def explained(self, screened: Screened) -> Explained:
        """The findings of a trial, in the order of its disputes."""
        trial = screened.executed.trial
        found = [
            self._finding(seen, verdict, trial if len(trial.cases) == 1 else seen.trial)
            for seen, verdict in screened.disputes
        ]
        return Explained(screened, tuple(item for item in found if item is not None))

    def _finding(
        self, observed: Observed, verdict: Verdict, trial: Trial
    ) -> tuple[Finding, dict[str, Array]] | None:
        """The finding a verdict amounts to; None if Assay itself fails on it."""
        what = f"trial {trial.index}: the {verdict.kind} of {verdict.op} was not judged"
        with self._faults.excused(what):
            return self._explained(observed, verdict, trial)
        return None

    def _explained(
        self, observed: Observed, verdict: Verdict, trial: Trial
    ) -> tuple[Finding, dict[str, Array]]:
        convention = recognise_convention(verdict, observed)
        key = key_of(verdict, convention.id if convention is not None else "")
        if not self._state.needs_explaining(key):
            known = self._findings[self._state.known[key].fingerprint]
            self._suppressions(known)
            return known, {}
        explained = explain(observed, verdict, self._laboratory.observe, self._laboratory.run)
        platforms = self._laboratory.platforms
        finding = finding_of(explained, trial, self._campaign, self._seed, platforms, observed)
        if finding.fingerprint not in self._findings:
            # Of any campaign: one defect has one id in a store.
            known_so = nearly_equal(finding, self._of_op(finding.op))
            finding = known_so or with_cause(finding, self._laboratory, explained.arrays)
        self._state.learn(key, finding)
        self._suppressions(finding)
        kept = self._findings.setdefault(finding.fingerprint, finding)
        return kept, explained.arrays

    def _suppressions(self, finding: Finding) -> None:
        if finding.recognised:
            self._state.suppress(finding.recognised)
