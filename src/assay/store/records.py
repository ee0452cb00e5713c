"""What a store knows beside findings."""

from typing import Any

import msgspec

from assay.ir import Case, Machine


class Campaign(msgspec.Struct, frozen=True):
    """One hunt, as far as it has come.

    ``next_trial`` is the trial a resumed hunt goes on with: all before it are
    committed but ``open_trials``, which it has to judge first. ``config`` says
    what was hunted (seed and techniques included) and ``config_hash`` identifies
    it; ``started`` is ISO 8601 in UTC; ``versions`` maps a target to the versions
    it ran, ``machines`` to what its worker said of the machine then (nothing in
    older campaigns).
    """

    id: str
    seed: int
    config: dict[str, Any]
    config_hash: str
    next_trial: int
    elapsed_seconds: float
    finished: bool
    started: str
    versions: dict[str, dict[str, str]]
    statistics: dict[str, Any]
    machines: dict[str, Machine] = {}
    open_trials: tuple[int, ...] = ()


class Occurrence(msgspec.Struct, frozen=True):
    """A trial that showed a finding.

    ``case`` is the trial's own case; only the first few occurrences of a finding
    in a campaign keep it (see ``assay.store.recording.CASES_KEPT``), so that a
    bug seen a million times does not fill the disk.
    """

    campaign: str
    trial: int
    case: Case | None = None
