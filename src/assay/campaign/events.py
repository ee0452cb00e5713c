"""What a campaign tells: typed events. Every output is a handler of these."""

from collections.abc import Callable
from typing import Literal

import msgspec

from assay.ir import Finding
from assay.ir.check import Check, Exhibit
from assay.ir.precision import PrecisionResult
from assay.ir.suite import SuiteResult

TargetState = Literal["starting", "ready", "left-out"]


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """Base of all events."""


class CampaignStarted(_Event, frozen=True, tag="campaign-started"):
    """First event. ``first_trial`` is not 0 when a campaign is resumed.

    ``open_trials`` of those before it are still to be judged.
    """

    campaign: str
    seed: int
    techniques: tuple[str, ...]
    targets: tuple[str, ...]
    store: str
    first_trial: int = 0
    cases: int | None = None
    budget_seconds: float | None = None
    open_trials: int = 0


class TargetChanged(_Event, frozen=True, tag="target-changed"):
    """A target started, is ready, was left out, or its worker was replaced.

    ``deaths`` counts worker deaths by cause (``"SIGSEGV"``, ``"timeout"``,
    ``"memory"``).
    """

    target: str
    state: TargetState
    deaths: dict[str, int] = {}
    message: str = ""


class TrialFinished(_Event, frozen=True, tag="trial-finished"):
    """A trial was judged and stored. ``valid`` if at least one arm ran to its end.

    Coverage: how many ops and how many (op, parameter, value class) triples
    have been compared on two or more independent arms, out of all there are. Of a trial by a
    ``rule``, ``op`` is its API, and ``inputs`` are those that both programs were compared on.
    """

    index: int
    technique: str
    valid: bool
    intent: str
    ops_covered: int = 0
    ops_total: int = 0
    classes_covered: int = 0
    classes_total: int = 0
    op: str = ""
    rule: str = ""
    inputs: int = 0


class FindingRecorded(_Event, frozen=True, tag="finding-recorded"):
    """A finding was stored; ``new`` if this store had none with its fingerprint."""

    finding: Finding
    new: bool


class Notice(_Event, frozen=True, tag="notice"):
    """Something the user should read, in one line."""

    message: str


class CpuSeconds(msgspec.Struct, frozen=True):
    """CPU time by what it was spent on, host and workers together."""

    generate: float
    execute: float
    judge: float
    explain: float
    total: float


class Summary(msgspec.Struct, frozen=True):
    """How a campaign ended. ``findings`` are those of this campaign, bugs first.

    ``faults`` counts what was left out by faults of Assay's own: each was told in a notice.
    ``left_out`` are the targets that were asked for and could not start, or were lost.
    ``skipped`` counts the trials in which a target was left out for what it had died of.
    ``cores`` is the share of all cores that trials and their explanation used.
    ``unexplained`` trials ended with disagreements that there was no time to explain.
    ``untested`` says why, if no trial was judged. ``searches``: how many there were, how many
    individuals they evaluated, and on how many something showed.
    """

    campaign: str
    seed: int
    cases: int
    trials: int
    seconds: float
    cpu_seconds: CpuSeconds
    targets: tuple[str, ...]
    coverage: dict[str, float]
    suppressed: dict[str, int]
    findings: tuple[Finding, ...]
    store: str
    interrupted: bool = False
    faults: int = 0
    left_out: tuple[str, ...] = ()
    skipped: dict[str, int] = {}
    cores: float = 0.0
    unexplained: int = 0
    untested: str = ""
    searches: dict[str, int] = {}


class CampaignFinished(_Event, frozen=True, tag="campaign-finished"):
    """Last event, also after an interruption."""

    summary: Summary


class CheckStarted(_Event, frozen=True, tag="check-started"):
    """A model is loaded on these targets, and is compared from now on."""

    campaign: str
    model: str
    targets: tuple[str, ...]
    store: str
    instances: int


class Progressed(_Event, frozen=True, tag="progressed"):
    """What is being done, and how much of how much is done."""

    what: str
    done: int
    total: int


class Waiting(_Event, frozen=True, tag="waiting"):
    """Of those who were asked, these have not answered yet."""

    targets: tuple[str, ...]


class CheckFinished(_Event, frozen=True, tag="check-finished"):
    """Last event of a check. ``findings`` are those it recorded, new or not."""

    check: Check
    findings: tuple[Finding, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()


class SuiteFinished(_Event, frozen=True, tag="suite-finished"):
    """Last event of a suite. ``findings`` are those it recorded, new or not."""

    result: SuiteResult
    findings: tuple[Finding, ...] = ()


class PrecisionFinished(_Event, frozen=True, tag="precision-finished"):
    """Last event of a measurement of precision, also after an interruption."""

    result: PrecisionResult
    findings: tuple[Finding, ...] = ()


Event = (
    CampaignStarted
    | TargetChanged
    | TrialFinished
    | FindingRecorded
    | Notice
    | CampaignFinished
    | CheckStarted
    | Progressed
    | Waiting
    | CheckFinished
    | SuiteFinished
    | PrecisionFinished
)
#: A handler takes every event in order, on the campaign's thread, and must not raise.
Handler = Callable[[Event], None]
