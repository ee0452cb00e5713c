"""Screened: what the oracles say of an executed trial, and of the model around a dispute."""

from collections.abc import Callable, Sequence

from assay.campaign.hunt.bridge import before, behind
from assay.campaign.hunt.records import Executed, Screened
from assay.execute import InternalWorkerError
from assay.ir import Trial, Verdict
from assay.judge import HarnessError, Observed, Oracle, PartOracle

#: How often a model is run again with disputed nodes bridged, to see what is behind them.
_BRIDGES = 3

#: Runs a trial as the hunt does, on the targets it would choose.
Rerun = Callable[[Trial], Observed]
#: Told of a trial that could not be judged by a fault of our own.
Excuse = Callable[[Trial, Exception], None]
Dispute = tuple[Observed, Verdict]


def screen(executed: Executed, oracles: Sequence[Oracle], rerun: Rerun, excuse: Excuse) -> Screened:
    """Every verdict on a trial; of a model, also on what is around disputed nodes."""
    trial, observed = executed.trial, executed.observed
    if executed.fault is not None:
        excuse(trial, executed.fault)
        return Screened(executed, (), ())
    if len(trial.cases) > 1:
        disputes = _in_parts(observed, oracles, excuse)
        return Screened(executed, tuple(verdict for _, verdict in disputes), tuple(disputes))
    verdicts = _verdicts(observed, oracles, excuse)
    disputes = [(observed, verdict) for verdict in verdicts]
    disputes += _around(observed, verdicts, oracles, rerun, excuse)
    return Screened(executed, tuple(verdicts), tuple(disputes))


def _in_parts(observed: Observed, oracles: Sequence[Oracle], excuse: Excuse) -> list[Dispute]:
    """Of several cases: what concerns the arms of one of them is a matter of that case alone."""
    disputes: list[Dispute] = []
    for oracle in oracles:
        seen = observed.parts(oracle.relation) if isinstance(oracle, PartOracle) else [observed]
        disputes += [(part, found) for part in seen for found in _verdicts(part, [oracle], excuse)]
    return disputes


def _verdicts(observed: Observed, oracles: Sequence[Oracle], excuse: Excuse) -> list[Verdict]:
    try:
        return [verdict for oracle in oracles for verdict in oracle.judge(observed)]
    except HarnessError as error:
        excuse(observed.trial, error)
        return []


def _around(
    observed: Observed,
    verdicts: Sequence[Verdict],
    oracles: Sequence[Oracle],
    rerun: Rerun,
    excuse: Excuse,
) -> list[Dispute]:
    """What shows in a model before and behind the nodes that are disputed."""
    disputes: list[Dispute] = []
    for bridge in range(_BRIDGES):
        trials = [behind(observed, verdicts)]
        if not bridge:
            trials.insert(0, before(observed, verdicts))
        for trial in trials:
            if trial is None:
                continue
            try:
                observed = rerun(trial)
            except InternalWorkerError as error:
                excuse(trial, error)
                return disputes
            verdicts = _verdicts(observed, oracles, excuse)
            disputes += [(observed, verdict) for verdict in verdicts]
        if trials[-1] is None:
            break
    return disputes
