"""Screened: what the oracles say of an executed trial, and of the model around a dispute."""

from collections.abc import Callable, Sequence

from assay.campaign.faults import Faults
from assay.campaign.hunt.bridge import before, behind
from assay.campaign.hunt.records import Executed, Screened
from assay.ir import Trial, Verdict
from assay.judge import JUDGED, HarnessError, Observed, Oracle, PartOracle

#: How often a model is run again with disputed nodes bridged, to see what is behind them.
_BRIDGES = 3

#: Runs a trial as the hunt does, on the targets it would choose.
Rerun = Callable[[Trial], Observed]
Dispute = tuple[Observed, Verdict]


def screen(executed: Executed, oracles: Sequence[Oracle], faults: Faults) -> Screened:
    """Every verdict on a trial."""
    trial, observed = executed.trial, executed.observed
    disputes: list[Dispute] = []
    with faults.excused(f"trial {trial.index} was not judged"):
        if executed.fault is not None:
            raise executed.fault
        disputes += disputes_of(observed, oracles)
    return Screened(executed, tuple(verdict for _, verdict in disputes), tuple(disputes))


def searchable(executed: Executed) -> bool:
    """Does a trial ask for a search, on cases that its arms finish?"""
    traces = executed.observed.traces.values()
    finished = any(trace.status == "ok" for trace in traces)
    return executed.trial.search is not None and executed.fault is None and finished


def around(
    screened: Screened, oracles: Sequence[Oracle], rerun: Rerun, faults: Faults
) -> tuple[Dispute, ...]:
    """The disputes of a trial, and of a model also those around disputed nodes."""
    trial, disputes = screened.executed.trial, list(screened.disputes)
    if len(trial.cases) == 1:
        with faults.excused(f"trial {trial.index} was judged in part only"):
            _around(screened.executed.observed, screened.verdicts, oracles, rerun, disputes)
    return tuple(disputes)


def disputes_of(observed: Observed, oracles: Sequence[Oracle]) -> list[Dispute]:
    """What the oracles see; of several cases, what concerns one of them with that case alone."""
    unjudged = {item.relation for item in observed.trial.agreements} - JUDGED
    if unjudged:  # else it would look like agreement
        raise HarnessError(f"no oracle judges arms that are related as {sorted(unjudged)}")
    if len(observed.trial.cases) == 1:
        return [(observed, verdict) for oracle in oracles for verdict in oracle.judge(observed)]
    disputes: list[Dispute] = []
    for oracle in oracles:
        seen = observed.parts(oracle.relation) if isinstance(oracle, PartOracle) else [observed]
        disputes += [(part, verdict) for part in seen for verdict in oracle.judge(part)]
    return disputes


def _around(
    observed: Observed,
    verdicts: Sequence[Verdict],
    oracles: Sequence[Oracle],
    rerun: Rerun,
    disputes: list[Dispute],
) -> None:
    """Add what shows in a model before and behind the nodes that are disputed."""
    for bridge in range(_BRIDGES):
        trials = [behind(observed, verdicts)]
        if not bridge:
            trials.insert(0, before(observed, verdicts))
        for trial in trials:
            if trial is None:
                continue
            observed = rerun(trial)
            found = disputes_of(observed, oracles)
            verdicts = [verdict for _, verdict in found]
            disputes += found
        if trials[-1] is None:
            break
