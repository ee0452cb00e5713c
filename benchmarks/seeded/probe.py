"""Does a fault change any answer? What changes none is no fault."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import TargetError
from assay.execute import Hello, Supervisor, request_for, traces_of_arms
from assay.ir import Arm, Trace, Trial, derive
from assay.judge.compare import difference
from assay.ops import OpSpec
from assay.sources import create
from assay.targets import builtin_targets
from seeded.draw import TEMPLATES, Fault, Template, candidates
from seeded.targets import faulty, name_of

#: Cases a fault has to show itself; of another seed than those of the hunts.
_PROBES = 60
#: More than are needed, since some change nothing.
_SURPLUS = 1.5


class Probe:
    """Runs trials on targets and on their faulty doubles."""

    def __init__(self, supervisor: Supervisor, targets: Sequence[str]) -> None:
        self._supervisor = supervisor
        self._targets = targets

    def _run(self, target: str, trial: Trial) -> Trace:
        return self._runs(target, trial)[target]

    def _runs(self, target: str, trial: Trial, *variants: str) -> dict[str, Trace]:
        # What is refused is refused before there is a gradient.
        stage = "" if trial.intent == "valid" else "forward"
        answer = self._supervisor.ask(target, request_for(trial.case, stage, variants))
        return traces_of_arms(Arm(target), answer)

    def narrowed(self, fault: Fault, trials: Sequence[Trial]) -> Fault:
        """The fault, accepting only values that no healthy target accepts in these trials."""
        name = fault.details["parameter"]
        kept: dict[str, Any] = {}
        accepted: set[str] = set()
        for trial in trials:
            if trial.spoilt == name:
                node = trial.case.graph.nodes[-1]
                value = {**node.params, **node.arguments}[name]
                kept[repr(value)] = value
                if any(self._run(target, trial).status != "error" for target in self._targets):
                    accepted.add(repr(value))
        values = [value for shown, value in kept.items() if shown not in accepted]
        return msgspec.structs.replace(fault, details={**fault.details, "values": values})

    def changes(self, fault: Fault, trial: Trial) -> bool:
        """Does the fault change what its target answers?

        An accepted value counts only where every healthy target refuses it: else
        the library never promised to.
        """
        double = name_of(fault.target)
        if fault.template == "silent acceptance":
            return (
                bool(fault.details["values"])
                and trial.spoilt == fault.details["parameter"]
                and trial.case.graph.nodes[-1].op == fault.op
                and all(self._run(name, trial).status == "error" for name in self._targets)
                and self._run(double, trial).status == "ok"
            )
        if trial.intent != "valid":
            return False
        right = self._run(fault.target, trial)
        again = ("again",) if fault.template == "uninitialised output" else ()
        wrong, *further = self._runs(double, trial, *again).values()
        return right.status == "ok" and (
            wrong.status != "ok"
            or _differ(right, wrong)
            or any(_differ(wrong, trace) for trace in further)
        )


def _differ(right: Trace, wrong: Trace) -> bool:
    return any(
        difference(array, wrong.arrays[name]) is not None
        for name, array in right.arrays.items()
        if name in wrong.arrays
    )


@contextmanager
def probing(faults: Sequence[Fault], targets: Sequence[str], directory: Path) -> Iterator[Probe]:
    """Healthy targets and doubles with all of these faults, at work."""
    known = builtin_targets()
    used = sorted({fault.target for fault in faults})
    started = [known[name] for name in targets]
    started += [faulty(name, faults, directory, dry=True) for name in used]
    with Supervisor(started, standbys=False) as supervisor:
        for name, answer in supervisor.start().items():
            if not isinstance(answer, Hello):
                raise TargetError(f"{name}: {answer.message}")
        yield Probe(supervisor, targets)


def drawn(
    count: int,
    seed: int,
    vocabulary: Mapping[str, OpSpec],
    targets: Sequence[str],
    wrong: Sequence[str],
    directory: Path,
    templates: Sequence[Template] = TEMPLATES,
) -> tuple[list[Fault], int]:
    """That many faults on as many ops, and how many were passed over for changing nothing."""
    stream = candidates(seed, vocabulary, wrong, templates)
    kept: dict[str, Fault] = {}
    passed = 0
    while len(kept) < count:
        batch: dict[str, Fault] = {}
        wanted = max(4, int((count - len(kept)) * _SURPLUS))
        for fault in islice(stream, 40 * wanted):
            if fault.op not in kept and len(batch) < wanted:
                batch.setdefault(fault.op, fault)
        with probing(list(batch.values()), targets, directory) as probe:
            for fault in batch.values():
                if len(kept) == count:
                    break
                shown = _shown(probe, fault, vocabulary, seed)
                if shown is not None:
                    kept[fault.op] = shown
                else:
                    passed += 1
    return list(kept.values()), passed


def _shown(probe: Probe, fault: Fault, vocabulary: Mapping[str, OpSpec], seed: int) -> Fault | None:
    """The fault if it shows in some case; None if not."""
    only = {fault.op: vocabulary[fault.op]}
    source = create("single-op", derive(seed, "probe"), ("probe",), only)
    trials = [source.ask(index) for index in range(_PROBES)]
    if fault.template == "silent acceptance":
        fault = probe.narrowed(fault, trials)
    return fault if any(probe.changes(fault, trial) for trial in trials) else None
