"""What to hunt, with what, and for how long."""

import msgspec

from assay.catalogue.chosen import Chosen
from assay.config import MutateConfig
from assay.execute import Limits
from assay.targets import Target


class HuntOptions(msgspec.Struct, frozen=True):
    """What to hunt, with what, and for how long.

    ``techniques`` empty means all usual ones, ``ops`` all: patterns as ``assay ops`` takes them.
    ``kernels`` are targets of other kernels that nobody named, but that join ``targets`` on a
    share of the trials; they are no part of what a campaign is known by.
    ``named``: somebody asked for these targets, so that one that cannot start is an error.
    ``preset`` names a published method whose thresholds are to be used.
    """

    techniques: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    named: bool = False
    kernels: tuple[Target, ...] = ()
    ops: tuple[str, ...] = ()
    preset: str = ""
    #: What ``rewrite`` draws from.
    chosen: Chosen = Chosen()
    #: Settings of ``mutate``.
    mutation: MutateConfig = MutateConfig()
    seed: int = 0
    cases: int | None = None
    budget_seconds: float | None = None
    #: What it took to find out the rest, of the budget: libraries are asked for their versions.
    prepared_seconds: float = 0.0
    resume: bool = False
    #: Show disagreements to implementations that were not asked for, if too few were.
    witnesses: bool = True
    #: A package whose lines are counted while targets run it; "" for none.
    lines: str = ""
    store: str = "assay.db"
    limits: Limits = Limits()
    #: Of the time, what is spent on reducing bugs; None: the usual share of a budget, nothing of
    #: a number of cases.
    reduce_share: float | None = None
    #: Resume a campaign though versions or settings changed since.
    force: bool = False
