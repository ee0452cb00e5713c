"""Calls with ordinary values, and targets to run them on: shared by benches of clean libraries."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from assay.campaign.running.laboratory import Laboratory
from assay.execute import Hello, Supervisor
from assay.ir import Arm, Case, Trial
from assay.ir.transform import forward_only
from assay.libraries import SHARED, vocabulary
from assay.sources import create
from assay.targets import Target

#: Of so many drawn calls one is taken at least: others have special values, or are invalid.
_DRAWN = 100


@contextmanager
def laboratory_of(targets: Sequence[Target]) -> Iterator[Laboratory]:
    """The targets, started."""
    with Supervisor(targets, standbys=False) as supervisor:
        hellos = supervisor.start()
        started = {name: hello for name, hello in hellos.items() if isinstance(hello, Hello)}
        missing = [name for name in hellos if name not in started]
        if missing:
            raise SystemExit(f"these targets did not start: {', '.join(missing)}")
        yield Laboratory(supervisor, targets, started)


def trial_of(case: Case, targets: Sequence[Target]) -> Trial:
    """One case on all targets."""
    return Trial(0, "bench", (case,), tuple(Arm(target.name) for target in targets))


def ordinary_calls(count: int, seed: int, targets: Sequence[str]) -> Iterator[Case]:
    """Valid calls of single ops with ordinary values, as hunts draw them; forward only."""
    words = vocabulary((SHARED,))
    settled = {name: spec for name, spec in words.items() if not spec.stochastic}
    source = create("single-op", seed, tuple(targets), settled)
    found = 0
    for index in range(_DRAWN * count):
        trial = source.ask(index)
        values = {value for _, what, value in trial.classes if what == "input"}
        if values <= {"ordinary"} and trial.intent == "valid" and len(trial.case.graph.nodes) == 1:
            yield forward_only(trial.case)
            found += 1
            if found == count:
                return
