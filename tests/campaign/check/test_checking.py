"""A check as a stream of events: what it tells, what it records, how it is stopped."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.campaign.check.checking import check
from assay.campaign.check.request import requested
from assay.campaign.events import (
    CheckFinished,
    CheckStarted,
    Event,
    FindingRecorded,
    Progressed,
    TargetChanged,
    Waiting,
)
from assay.config import Config, TargetConfig
from assay.errors import AssayError, Interrupted
from assay.ir.model import model_of
from assay.report.ndjson import decode, encode
from assay.store import open_store
from tests.e2e.patches import misbehaving
from tests.models_on_disk import INSTANCE, dense_keras, normalising_onnx

RUNTIMES = ("onnxruntime", "openvino", "onnx-reference")
WAITED_FOR: list[Event] = []
ROWS = np.random.default_rng(1).normal(size=(6, 3)).astype("float32")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("check")


@pytest.fixture(scope="module")
def model(folder: Path) -> str:
    return normalising_onnx(folder)


@pytest.fixture(scope="module")
def told(folder: Path, model: str) -> list[Event]:
    """The events of a check that finds something."""
    request = requested(Config(store=str(folder / "told.db")), model, {"x": ROWS}, targets=RUNTIMES)
    return list(check(request, tell=WAITED_FOR.append))


def test_who_is_waited_for_is_told_meanwhile(told: list[Event]) -> None:
    names = [event.targets for event in WAITED_FOR if isinstance(event, Waiting)]
    assert len(names) == len(WAITED_FOR)
    assert names[0] == RUNTIMES
    assert all(set(some) <= {*RUNTIMES, "reference"} for some in names)
    assert any(len(some) == 1 for some in names)
    assert not any(isinstance(event, Waiting) for event in told)


def test_events_come_in_order(told: list[Event], folder: Path) -> None:
    ready = [event.target for event in told if isinstance(event, TargetChanged)]
    assert ready == [*RUNTIMES, *RUNTIMES]
    (started,) = [event for event in told if isinstance(event, CheckStarted)]
    assert (started.model, started.targets, started.instances) == ("normalising.onnx", RUNTIMES, 6)
    done = [event.done for event in told if event == Progressed("running instances", 6, 6)]
    assert done == [6]
    *_, recorded, finished = told
    assert isinstance(recorded, FindingRecorded)
    assert recorded.new
    assert isinstance(finished, CheckFinished)
    assert finished.findings == (recorded.finding,)
    assert finished.check.findings == (recorded.finding.id,)


def test_what_a_page_shows_is_told_with_the_end(told: list[Event]) -> None:
    finished = told[-1]
    assert isinstance(finished, CheckFinished)
    (shown,) = finished.exhibits
    assert shown.targets == finished.check.pair_of(finished.check.unique_inconsistencies[0]).targets
    assert (shown.inputs["x"] == ROWS[shown.instance][None]).all()
    first, second = (arrays[0] for arrays in shown.outputs)
    assert first.shape == second.shape
    assert (first != second).any()
    (norm,) = [facts for facts in shown.facts if facts.layer == "norm"]
    assert [weight.name for weight in norm.weights] == ["scale", "bias", "mean", "var"]
    assert all(weight.smallest <= weight.mean <= weight.largest for weight in norm.weights)
    ran = {target.name: target.instances for target in finished.check.targets}
    for pair in finished.check.pairs:
        assert sum(pair.deviations) == min(ran[name] for name in pair.targets)
    assert encode(decode(encode(finished))) == encode(finished)


def test_an_inconsistent_model_is_a_finding_with_its_instance(
    told: list[Event], folder: Path
) -> None:
    finished = told[-1]
    assert isinstance(finished, CheckFinished)
    (pair, *_) = [p for p in finished.check.pairs if p.verdict == "inconsistent"]
    with open_store(str(folder / "told.db"), create=False) as store:
        (finding,) = store.findings()
        arrays = store.arrays(finding.id)
        (campaign,) = store.campaigns()
    assert (finding.kind, finding.category, finding.stage) == ("inconsistency", "bug", "forward")
    assert (finding.op, finding.node) == ("onnx.BatchNormalization", "norm")
    assert (finding.targets, finding.blamed) == (RUNTIMES, ("onnx-reference",))
    assert (finding.evidence.confirmations, finding.evidence.attempts) == (1, 1)
    assert finding.localization is not None
    assert finding.localization.suspect == "norm"
    assert [layer.name for layer in finding.layers] == ["dense", "norm"]
    model = model_of(finding.case)
    assert model is not None
    assert model.instance == pair.worst
    np.testing.assert_array_equal(arrays["input:x"], ROWS[pair.worst : pair.worst + 1])
    right, wrong = (arrays[f"{name}/output:model"] for name in (RUNTIMES[0], RUNTIMES[2]))
    assert np.abs(right - wrong).max() == pytest.approx(finding.magnitude)
    assert finding.magnitude > 100 * (finding.evidence.tolerance or 0.0)
    assert campaign.finished
    assert campaign.config["techniques"] == ["check"]
    assert campaign.config["sha256"] == model.sha256


def test_the_same_fault_checked_again_is_one_finding_seen_twice(
    model: str, folder: Path, tmp_path: Path
) -> None:
    again = normalising_onnx(tmp_path)  # the same model in another file
    url = str(folder / "twice.db")
    ids = [
        assay.check(path, ROWS[:3], targets=RUNTIMES, store=url).findings for path in (model, again)
    ]
    assert ids[0] == ids[1]
    with open_store(url, create=False) as store:
        (finding,) = store.findings()
    assert finding.count == 2


def test_a_consistent_model_is_a_campaign_without_findings(model: str, tmp_path: Path) -> None:
    url, results = str(tmp_path / "assay.db"), []

    def run() -> None:  # no thread but the first may ask for signals
        results.append(assay.check(model, [ROWS], targets=RUNTIMES[:2], store=url))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    (result,) = results
    assert (result.verdict, result.findings, result.instances) == ("consistent", (), 6)
    with open_store(url, create=False) as store:
        assert store.findings() == ()
        (campaign,) = store.campaigns()
    assert (campaign.finished, campaign.next_trial) == (True, 1)


def test_a_check_that_is_stopped_records_nothing(model: str, tmp_path: Path) -> None:
    url, stop = str(tmp_path / "assay.db"), threading.Event()
    events: Iterator[Event] = check(
        requested(Config(store=url), model, {"x": ROWS}, targets=RUNTIMES), stop
    )
    while not isinstance(next(events), CheckStarted):
        pass
    stop.set()
    with pytest.raises(Interrupted):
        next(events)
    with open_store(url, create=False) as store:
        assert store.findings() == ()
        assert not store.campaigns()[0].finished


def test_a_target_that_dies_of_the_model_is_a_crash(tmp_path: Path) -> None:
    (tmp_path / "dying.py").write_text(misbehaving("os.abort()", "Dense"), encoding="utf-8")
    twin = TargetConfig("keras", "numpy")
    dying = TargetConfig("keras", "numpy", prelude=str(tmp_path / "dying.py"))
    settings = Config(store=str(tmp_path / "assay.db"), targets={"twin": twin, "dying": dying})
    path = dense_keras(tmp_path)
    names = ("keras-numpy", "twin", "dying")
    *_, finished = check(requested(settings, path, {"x": INSTANCE}, targets=names))
    assert isinstance(finished, CheckFinished)
    (finding,) = finished.findings
    assert finished.check.verdict == "inconsistent"
    assert (finding.kind, finding.category, finding.stage) == ("crash", "bug", "forward")
    assert (finding.op, finding.blamed, finding.targets) == ("model.keras", ("dying",), names)
    assert finding.evidence.message == "SIGABRT"
    assert (finding.evidence.confirmations, finding.evidence.attempts) == (1, 1)


def test_what_cannot_be_checked_is_an_error(model: str) -> None:
    with pytest.raises(AssayError, match="instances must be at least 1; received 0"):
        assay.check(model, instances=0)
    with pytest.raises(AssayError, match='unknown preset "muffin"'):
        assay.check(model, preset="muffin")
