"""Real bugs of Keras 3.15.1, reduced on real backends."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.campaign.cause import found_cause
from assay.campaign.explain import explain, finding_of
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.triage.reduction import Showing, localized, reduced
from assay.cli.main import run
from assay.execute import Hello, Supervisor
from assay.ir import Arm, Case, Dot, Finding, Graph, Input, Node, Recipe, Reduction, Trial, Uniform
from assay.judge import ORACLES
from assay.judge.category import ATTEMPTS
from assay.localize.change_rate import T1
from assay.ops import specs
from assay.report.text import elements
from assay.store import open_store
from assay.targets import builtin_targets, resolve

NAMES = ("keras-tensorflow", "keras-torch", "reference")
VOCABULARY = specs()


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    targets = resolve(NAMES, builtin_targets())
    with Supervisor(targets, standbys=False) as supervisor:
        answers = supervisor.start()
        hellos = {name: hello for name, hello in answers.items() if isinstance(hello, Hello)}
        assert len(hellos) == len(NAMES)
        yield Laboratory(supervisor, targets, hellos)


def found(laboratory: Laboratory, case: Case, **about: Any) -> Finding:
    """The finding that a case amounts to."""
    trial = Trial(0, "test", (case,), tuple(Arm(name) for name in NAMES), **about)
    observed = laboratory.observe(trial)
    verdict = next(verdict for oracle in ORACLES for verdict in oracle.judge(observed))
    explained = explain(observed, verdict, laboratory.observe, laboratory.run)
    finding = finding_of(explained, trial, "c", 0, laboratory.platforms, observed)
    assert finding.category == "bug"
    return finding


def case_of(op: str, shape: tuple[int, ...], gradient: bool = False, **params: Any) -> Case:
    graph = Graph((Input("x", shape),), (Node("n", op, ("x",), params),), ("n",))
    recipe: Recipe = Uniform(3, 0.5, 2.0)
    if not gradient:
        return Case(graph, {"x": recipe})
    return Case(graph, {"x": recipe}, loss=Dot((Uniform(4),)), stage="gradient")


def pooling(laboratory: Laboratory) -> Finding:
    """Torch counts the padding: with padding="same" only, whatever the rest."""
    params = {"pool_size": 3, "strides": 2, "padding": "same", "data_format": "channels_last"}
    case = case_of("keras.layers.AveragePooling2D", (2, 6, 5, 3), **params)
    return found(laboratory, case)


def normalization(laboratory: Laboratory) -> Finding:
    """Torch raises for any axis but the last."""
    case = case_of("keras.ops.rms_normalization", (2, 3, 5), axis=1, epsilon=0.001)
    return found(laboratory, case)


def identity(finding: Finding) -> tuple[Any, ...]:
    kept = (finding.id, finding.fingerprint, finding.kind, finding.stage, finding.op)
    return (*kept, finding.blamed, finding.category)


def test_padding_is_responsible_and_little_is_left(laboratory: Laboratory) -> None:
    finding = pooling(laboratory)
    finding = msgspec.structs.replace(
        finding, evidence=msgspec.structs.replace(finding.evidence, anew=True)
    )
    result = reduced(finding, laboratory, VOCABULARY)
    assert result is not None
    small, arrays = result
    assert identity(small) == identity(finding)
    assert small.blamed == ("keras-torch",)
    assert small.responsible == ("padding",)
    # Looked for before it was reduced, and the same afterwards.
    assert small.cause is not None
    assert small.cause.place == "keras/src/backend/torch/nn.py:average_pool"
    assert found_cause(small, laboratory).id == small.cause.id
    # That it was seen before counts, too.
    assert small.evidence.attempts == finding.evidence.attempts + ATTEMPTS
    assert small.evidence.anew
    assert set(small.params) == {"padding", "pool_size"}
    assert elements(small.case) <= 8 < elements(small.original)
    assert small.reduction is not None
    assert small.reduction.calls <= 200
    assert {f"{name}/{small.evidence.where}" for name in NAMES} <= set(arrays)
    again = reduced(finding, laboratory, VOCABULARY)
    assert again is not None
    assert again[0] == small


def test_the_published_change_rate_names_the_same_parameter(laboratory: Laboratory) -> None:
    finding = pooling(laboratory)
    showing = Showing(finding, laboratory)
    assert showing.prepare()
    rate = showing.rate(finding.case)
    assert rate is not None
    assert rate > T1
    unlocated = msgspec.structs.replace(finding, reduction=Reduction(calls=0, steps=0))
    named = localized(unlocated, finding.case, showing, VOCABULARY, "audee")
    assert named.responsible == ("padding",)
    assert named.reduction is not None
    assert named.reduction.calls > 0


def test_a_reduced_error_still_is_that_error(laboratory: Laboratory) -> None:
    finding = normalization(laboratory)
    result = reduced(finding, laboratory, VOCABULARY)
    assert result is not None
    small, _ = result
    assert identity(small) == identity(finding)
    assert small.params == {"axis": small.params["axis"]}
    assert elements(small.case) <= 4
    assert Showing(finding, laboratory).ask(small.case, everyone=True) is not None


def test_a_finding_that_does_not_show_is_left_alone(laboratory: Laboratory) -> None:
    finding = pooling(laboratory)
    (node,) = finding.case.graph.nodes
    valid = msgspec.structs.replace(node, params={**node.params, "padding": "valid"})
    graph = msgspec.structs.replace(finding.case.graph, nodes=(valid,))
    healed = msgspec.structs.replace(
        finding, case=msgspec.structs.replace(finding.case, graph=graph)
    )
    assert reduced(healed, laboratory, VOCABULARY) is None


def test_another_fault_of_the_same_op_is_not_taken_for_it(laboratory: Laboratory) -> None:
    """The gradient is wrong too, and is another finding."""
    finding = pooling(laboratory)
    other = msgspec.structs.replace(finding, stage="gradient", case=finding.case)
    assert not Showing(other, laboratory).prepare()


def test_the_command_reduces_and_keeps_the_original(
    laboratory: Laboratory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    finding = normalization(laboratory)
    with open_store("assay.db") as store:
        campaign = store.start_campaign(7, {}, {})
        kept = msgspec.structs.replace(finding, campaign=campaign.id)
        store.record_trial(campaign.id, 0, [(kept, {})], {}, 0.0)
    assert run(["reduce"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{finding.id}  keras.ops.rms_normalization(axis=")
    assert "30 → " in said
    with open_store("assay.db", create=False) as store:
        (stored,) = store.findings()
        assert store.arrays(stored.id)
    assert stored.original == finding.original
    assert elements(stored.case) <= 4
    assert stored.reduction is not None
    assert run(["reduce"]) == 0
    assert capsys.readouterr() == ("", "every bug is reduced already; --again starts anew\n")
    assert run(["show", finding.id]) == 0
    assert "from 30 elements to" in capsys.readouterr().out


def test_a_fault_on_one_finding_is_said_and_the_others_are_reduced(
    laboratory: Laboratory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    finding = normalization(laboratory)
    # A record that our own code cannot handle: no oracle has this name.
    broken = msgspec.structs.replace(
        finding, id="0bad", fingerprint="0bad" + "0" * 60, oracle="no-such-oracle"
    )
    with open_store("assay.db") as store:
        campaign = store.start_campaign(7, {}, {})
        for index, item in enumerate((finding, broken)):
            kept = msgspec.structs.replace(item, campaign=campaign.id)
            store.record_trial(campaign.id, index, [(kept, {})], {}, 0.0)
    assert run(["reduce", "--json"]) == 3
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert [item["id"] for item in document["reduced"]] == [finding.id]
    assert (document["gone"], document["faults"]) == ([], 1)
    said = f"assay: 0bad ({finding.kind} of {finding.op}) was not reduced, by a fault of Assay's"
    assert said in told.err
    assert run(["replay", "0bad", finding.id, "--json"]) == 3
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert [item["id"] for item in document["replays"]] == [finding.id]
    assert document["faults"] == 1
    assert "was not replayed, by a fault of Assay's own: " in told.err
