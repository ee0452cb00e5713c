"""What one stage of a hunt hands to the next: asked, executed, screened, explained."""

import msgspec

from assay.campaign.hunt.searching import Searched
from assay.execute import InternalWorkerError
from assay.ir import Array, Finding, Trial, Verdict
from assay.judge import Observed


class Executed(msgspec.Struct, frozen=True):
    """A trial that was asked for and run: what its arms gave, or a fault of our own worker.

    ``kin``: trials that share one of these names are judged in the order of their indices.
    """

    trial: Trial
    observed: Observed
    kin: frozenset[str] = frozenset()
    fault: InternalWorkerError | None = None


class Screened(msgspec.Struct, frozen=True):
    """What the oracles say of a trial.

    ``verdicts`` are those on the trial itself, which its source is told of; ``disputes`` are
    the same, each with the observation that shows it.
    """

    executed: Executed
    verdicts: tuple[Verdict, ...]
    disputes: tuple[tuple[Observed, Verdict], ...]


class Learned(msgspec.Struct, frozen=True):
    """What explaining a verdict led to; ``key`` as in ``state``, "" if it was known before."""

    key: str
    finding: Finding
    arrays: dict[str, Array]


class Explained(msgspec.Struct, frozen=True):
    """What a trial amounts to, in the order of its disputes.

    ``searched`` says how its search went, if it had one. ``host_seconds`` and
    ``worker_seconds`` are the CPU time that this took.
    """

    screened: Screened
    learned: tuple[Learned, ...] = ()
    host_seconds: float = 0.0
    worker_seconds: float = 0.0
    searched: Searched | None = None
