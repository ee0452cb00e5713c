"""What a running campaign looks like: a pure fold over its events."""

import msgspec

from assay.campaign.events import (
    CampaignFinished,
    CampaignStarted,
    CheckFinished,
    CheckStarted,
    Event,
    FindingRecorded,
    Notice,
    PrecisionFinished,
    Progressed,
    SuiteFinished,
    TargetChanged,
    TargetState,
    TrialFinished,
    Waiting,
)
from assay.ir import Finding
from assay.report.findings import counts


class TargetHealth(msgspec.Struct, frozen=True):
    """A target as the last event about it left it."""

    state: TargetState = "starting"
    deaths: dict[str, int] = {}
    message: str = ""

    @property
    def restarts(self) -> int:
        """How many workers of this target have died."""
        return sum(self.deaths.values())


class Progress(msgspec.Struct, frozen=True):
    """Everything a display shows. Times are of the display's clock, in seconds."""

    started: float
    seed: int | None = None
    techniques: tuple[str, ...] = ()
    store: str = ""
    first_trial: int = 0
    cases: int | None = None
    budget_seconds: float | None = None
    targets: dict[str, TargetHealth] = {}
    trials: int = 0
    #: Trials that were meant to be valid, and those of them that were.
    meant_valid: int = 0
    valid: int = 0
    ops: tuple[int, int] = (0, 0)
    classes: tuple[int, int] = (0, 0)
    findings: dict[str, Finding] = {}
    #: Bugs, which are causes, and other findings by category, only those that occur.
    counts: dict[str, int] = {}
    last_new: float | None = None
    finished: bool = False

    def elapsed(self, now: float) -> float:
        """Seconds since the campaign started."""
        return max(0.0, now - self.started)

    def rate(self, now: float) -> float:
        """Trials per second since the campaign started."""
        elapsed = self.elapsed(now)
        return self.trials / elapsed if elapsed > 0 else 0.0

    def valid_percent(self) -> int | None:
        """Share of the trials meant to be valid that were; None before the first."""
        return round(100 * self.valid / self.meant_valid) if self.meant_valid else None

    def restarts(self) -> int:
        """Worker deaths of all targets together."""
        return sum(target.restarts for target in self.targets.values())


def advance(progress: Progress, event: Event, now: float) -> Progress:
    """The progress after one more event. Pure: the same events give the same progress."""
    replace = msgspec.structs.replace
    match event:
        case CampaignStarted():
            known = {name: progress.targets.get(name, TargetHealth()) for name in event.targets}
            return replace(
                progress,
                seed=event.seed,
                techniques=event.techniques,
                store=event.store,
                first_trial=event.first_trial - event.open_trials,
                cases=event.cases,
                budget_seconds=event.budget_seconds,
                targets={**progress.targets, **known},
            )
        case TargetChanged():
            health = TargetHealth(event.state, event.deaths, event.message)
            return replace(progress, targets={**progress.targets, event.target: health})
        case TrialFinished():
            meant_valid = event.intent == "valid"
            return replace(
                progress,
                trials=progress.trials + 1,
                meant_valid=progress.meant_valid + meant_valid,
                valid=progress.valid + (meant_valid and event.valid),
                ops=(event.ops_covered, event.ops_total),
                classes=(event.classes_covered, event.classes_total),
            )
        case FindingRecorded():
            findings = {**progress.findings, event.finding.fingerprint: event.finding}
            return replace(
                progress,
                findings=findings,
                counts=counts(list(findings.values())),
                last_new=now if event.new else progress.last_new,
            )
        case CampaignFinished():
            return replace(progress, finished=True)
        case (
            Notice()
            | CheckStarted()
            | Progressed()
            | Waiting()
            | CheckFinished()
            | SuiteFinished()
            | PrecisionFinished()
        ):
            return progress
