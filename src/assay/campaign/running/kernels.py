"""Targets that run the code of another with other kernels: they speak only where these differ.

Where both say the same, two targets of one implementation would be blamed for one fault, and
every dispute would be put to both. So the arms of such a target are left out of what is judged,
unless they differ from those of the target with the usual kernels, or that gave no answer.
"""

from collections.abc import Iterable, Mapping, Set

import msgspec

from assay.ir import AGAIN, Arm, Trace, Trial
from assay.judge import difference
from assay.judge.compare import coarseness
from assay.targets import Target

#: Such a target takes one trial in this many, where enough others check each other.
SHARE = 8


def usual_of(targets: Iterable[Target]) -> dict[str, str]:
    """The targets with other kernels, each with the one that has the usual ones and is here."""
    known = tuple(targets)
    return {
        target.name: usual.name
        for target in known
        for usual in known
        if target.base
        and usual.platform({}).identity == target.base
        and (usual.python, usual.prelude) == (target.python, target.prelude)
    }


def without_echoes(
    trial: Trial, traces: Mapping[str, Trace], usual: Mapping[str, str]
) -> tuple[Trial, Mapping[str, Trace]]:
    """The trial and its traces without the targets that say what the one with the usual kernels
    says, or that were not asked.
    """
    silent = {name for name in usual if _echoes(trial, traces, name, usual[name])}
    if not silent.intersection(trial.targets):
        return trial, traces
    heard = trial.on(target for target in trial.targets if target not in silent)
    names = {arm.name for arm in heard.arms}
    return heard, {name: trace for name, trace in traces.items() if name in names}


def _echoes(trial: Trial, traces: Mapping[str, Trace], target: str, usual: str) -> bool:
    unsteady = _unsteady(traces, usual)
    for arm in trial.arms:
        if arm.target != target or arm.name not in traces:
            continue
        twin = traces.get(msgspec.structs.replace(arm, target=usual).name)
        coarse = coarseness(trial.cases[arm.case])
        if twin is None or not _alike(traces[arm.name], twin, coarse, unsteady):
            return False
    return True


def _unsteady(traces: Mapping[str, Trace], target: str) -> frozenset[str]:
    """The arrays that differ between two runs of a target: of other kernels they say nothing."""
    first, again = (traces.get(Arm(target, variant=variant).name) for variant in ("", AGAIN))
    if first is None or again is None:
        return frozenset()
    return frozenset(
        name
        for name, array in again.arrays.items()
        if name in first.arrays and difference(array, first.arrays[name]) is not None
    )


def _alike(first: Trace, second: Trace, coarse: float, unsteady: Set[str]) -> bool:
    """The same numbers but for rounding, or a failure of the same call: whatever its words."""
    if first.status != second.status:
        return False
    if first.failure is not None and second.failure is not None:
        place = (first.failure.stage, first.failure.node)
        return place == (second.failure.stage, second.failure.node)
    return first.arrays.keys() == second.arrays.keys() and all(
        difference(array, second.arrays[name], coarse) is None
        for name, array in first.arrays.items()
        if name not in unsteady
    )
