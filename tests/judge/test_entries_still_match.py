"""Every entry that silences still has something to silence, on the real targets.

An entry that matches nothing any more (the library was fixed, or speaks otherwise)
only waits to hide something else: remove it, or widen its versions if it still holds.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from assay.campaign.explain import Explained, explain
from assay.campaign.running.laboratory import Laboratory
from assay.config import Config
from assay.errors import TargetError
from assay.execute import Hello, Supervisor
from assay.ir import Arm, Trial, Verdict
from assay.judge import ORACLES
from assay.judge._example import case_of, classes_of
from assay.judge.conventions import conventions
from assay.judge.entries import Entry
from assay.judge.expected import Refusal, refusals
from assay.judge.support import documented
from assay.targets import REFERENCE, Target, known_targets, resolve

ALL = (*refusals(), *conventions())
ENTRIES = [entry for entry in ALL if entry.library == "keras"]
#: Those of Keras 2 need its interpreter: tests/worker/test_keras2.py. Those of plugins are theirs.
NATIVE = [
    entry for entry in ALL if entry.library in ("jax", "onnx", "openvino", "tensorflow", "torch")
]
CATEGORIES = {entry.id: "bug" if entry.promised else "unsupported" for entry in refusals()} | {
    entry.id: "convention" for entry in conventions()
}


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with laboratory_of(targets_of([*ENTRIES, *documented()])) as found:
        yield found


def targets_of(entries: Iterable[Entry]) -> tuple[Target, ...]:
    """Every target that an example names, and the reference."""
    names = {target for entry in entries for target in entry.example.targets}
    return resolve(sorted(names | {REFERENCE.name}), known_targets(Config()))


@contextmanager
def laboratory_of(targets: Sequence[Target]) -> Iterator[Laboratory]:
    with Supervisor(targets, standbys=False) as supervisor:
        hellos = supervisor.start()
        started = {name: hello for name, hello in hellos.items() if isinstance(hello, Hello)}
        assert set(started) == set(hellos), hellos
        yield Laboratory(supervisor, targets, started)


def findings(entry: Entry, laboratory: Laboratory) -> list[Explained]:
    """What a hunt would make of the example."""
    trial = Trial(
        index=0,
        source="test",
        cases=(case_of(entry.example),),
        arms=tuple(Arm(target) for target in (*entry.example.targets, REFERENCE.name)),
        classes=classes_of(entry.example),
    )
    seen = laboratory.observe(trial)
    verdicts = [verdict for oracle in ORACLES for verdict in oracle.judge(seen)]
    return [explain(seen, verdict, laboratory.observe, laboratory.run) for verdict in verdicts]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_example_is_recognised(entry: Entry, laboratory: Laboratory) -> None:
    assert recognised(entry, laboratory)


@pytest.mark.parametrize("entry", NATIVE, ids=lambda entry: entry.id)
def test_the_example_of_a_native_library_is_recognised(entry: Entry) -> None:
    try:
        targets = targets_of([entry])
    except TargetError as error:  # its environment was not made
        pytest.skip(str(error))
    with laboratory_of(targets) as laboratory:
        stages = {verdict.stage for verdict in recognised(entry, laboratory)}
    assert stages <= {"build", case_of(entry.example).stage}


def recognised(entry: Entry, laboratory: Laboratory) -> list[Verdict]:
    """The verdicts on the example that name the entry; there must be some."""
    verdicts = [found.verdict for found in findings(entry, laboratory)]
    told = [(v.kind, v.stage, v.category, v.recognised, v.evidence.message) for v in verdicts]
    promised = isinstance(entry, Refusal) and entry.promised
    matched = [
        verdict
        for verdict in verdicts
        if verdict.recognised == entry.id or (promised and entry.reason in verdict.evidence.reason)
    ]
    assert matched, f"{entry.id} matches nothing any more; seen: {told}"
    assert {verdict.category for verdict in matched} == {CATEGORIES[entry.id]}
    assert {verdict.op for verdict in matched} == {entry.example.op}
    return matched


@pytest.mark.parametrize("entry", documented(), ids=lambda entry: entry.id)
def test_what_is_documented_is_still_contradicted(entry: Entry, laboratory: Laboratory) -> None:
    verdicts = [found.verdict for found in findings(entry, laboratory)]
    told = [(v.kind, v.stage, v.category, v.blamed, v.evidence.reason) for v in verdicts]
    matched = [v for v in verdicts if entry.reason in v.evidence.reason]
    assert matched, f"{entry.id} accuses nobody any more; seen: {told}"
    assert {v.category for v in matched} == {"bug"}
    assert {v.blamed for v in matched} == {entry.example.targets}
