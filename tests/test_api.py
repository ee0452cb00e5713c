"""Assay from Python: a hunt as a stream of events, in any thread, without signals."""

import os
import threading
from pathlib import Path

import pytest

import assay
from assay.campaign.events import (
    CampaignFinished,
    CampaignStarted,
    Event,
    FindingRecorded,
    TrialFinished,
)
from assay.errors import AssayError
from assay.store import open_store
from tests.e2e.patches import WRONG, target


@pytest.fixture
def settings(tmp_path: Path) -> str:
    """A configuration with a target whose ReLU is wrong."""
    (tmp_path / "wrong.py").write_text(WRONG)
    path = tmp_path / "assay.toml"
    path.write_text(target("mine", "wrong.py"))
    return str(path)


def test_a_hunt_runs_in_a_thread_and_ends_when_told(settings: str, tmp_path: Path) -> None:
    store, stop = str(tmp_path / "assay.db"), threading.Event()
    events: list[Event] = []

    def run(until: int, resume: bool) -> None:
        stream = assay.hunt(
            targets=["mine", "keras-numpy"],
            techniques=["single-op"],
            ops=["keras.layers.ReLU", "keras.layers.Softmax"],
            cases=30,
            seed=3,
            resume=resume,
            witnesses=False,
            store=store,
            config=settings,
            stop=stop,
        )
        for event in stream:
            events.append(event)
            if isinstance(event, TrialFinished) and event.index + 1 == until:
                stop.set()

    thread = threading.Thread(target=run, args=(10, False))
    thread.start()
    thread.join(timeout=120)
    assert not thread.is_alive()
    assert isinstance(events[-1], CampaignFinished)
    assert events[-1].summary.interrupted
    assert 10 <= events[-1].summary.trials < 30
    assert any(isinstance(event, FindingRecorded) and event.new for event in events)

    stop.clear()
    events.clear()
    run(31, True)
    (begun,) = [event for event in events if isinstance(event, CampaignStarted)]
    assert begun.first_trial >= 10
    assert isinstance(events[-1], CampaignFinished)
    assert (events[-1].summary.trials, events[-1].summary.interrupted) == (30, False)
    with open_store(store) as opened:
        (campaign,) = opened.campaigns()
        assert campaign.finished


def test_whoever_leaves_the_stream_leaves_no_process_behind(settings: str, tmp_path: Path) -> None:
    marker = {"ASSAY_TEST_STREAM": str(tmp_path)}
    os.environ.update(marker)
    try:
        stream = assay.hunt(
            targets=["keras-numpy"],
            techniques=["single-op"],
            cases=10_000,
            witnesses=False,
            store=str(tmp_path / "assay.db"),
            config=settings,
        )
        for event in stream:
            if isinstance(event, TrialFinished) and event.index == 5:
                break
        assert _children(str(tmp_path))
        stream.close()  # type: ignore[attr-defined]  # it is a generator
        assert not _children(str(tmp_path))
    finally:
        del os.environ["ASSAY_TEST_STREAM"]


def _children(mark: str) -> list[str]:
    """Processes with that mark in their environment, besides this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                zombie = (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
                if f"ASSAY_TEST_STREAM={mark}".encode() in (entry / "environ").read_bytes():
                    found += [] if zombie else [entry.name]
            except OSError:  # it ended while we looked
                continue
    return found


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"targets": ["keras-tensorflwo"]}, 'unknown target "keras-tensorflwo"'),
        (
            {"budget": "soon"},
            'budget takes a duration such as .* received "soon"',
        ),
        ({"cases": 0}, "must be at least 1"),
        ({"targets": "keras-torch"}, "targets takes a list of names; received 'keras-torch'"),
        ({"techniques": ["guess"]}, 'unknown technique "guess"'),
        ({"preset": "muffn"}, 'unknown preset "muffn"'),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(
    wrong: dict[str, object], message: str
) -> None:
    with pytest.raises(AssayError, match=message):
        assay.hunt(**wrong)  # type: ignore[arg-type]
