"""What one stage of a hunt hands to the next: asked, executed, screened, explained."""

import msgspec

from assay.execute import InternalWorkerError
from assay.ir import Array, Finding, Trial, Verdict
from assay.judge import Observed


class Executed(msgspec.Struct, frozen=True):
    """A trial that was asked for and run: what its arms gave, or a fault of our own worker."""

    trial: Trial
    observed: Observed
    fault: InternalWorkerError | None = None


class Screened(msgspec.Struct, frozen=True):
    """What the oracles say of a trial.

    ``verdicts`` are those on the trial itself, which its source is told of; ``disputes`` are
    all, each with the observation that shows it: around a disputed node a model is run again.
    """

    executed: Executed
    verdicts: tuple[Verdict, ...]
    disputes: tuple[tuple[Observed, Verdict], ...]


class Explained(msgspec.Struct, frozen=True):
    """The findings that a trial amounts to, with the arrays that show them."""

    screened: Screened
    findings: tuple[tuple[Finding, dict[str, Array]], ...]
