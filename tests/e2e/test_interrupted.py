"""Ctrl-C, SIGTERM and SIGKILL at any moment: nothing judged is lost, nothing is left running."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from assay.store import open_store
from tests.e2e.command import Command, recorded, wait_until
from tests.e2e.patches import target
from tests.e2e.whole import CASES, Whole, prepare


def trials_told(events: Path) -> int:
    """How many trials the events of a hunt tell of so far."""
    return events.read_bytes().count(b'"event":"trial-finished"') if events.exists() else 0


def trials_stored(store: Path) -> int:
    """How far the campaign of a store is, by opening it as any command would."""
    with open_store(str(store), create=False) as opened:
        return max((campaign.next_trial for campaign in opened.campaigns()), default=0)


def test_an_interrupted_hunt_says_how_to_go_on_and_ends_as_if_it_never_was(
    assay: Command, tmp_path: Path, whole: Whole
) -> None:
    """By each of the signals, one after the other."""
    arguments: tuple[str, ...] = prepare(assay)
    stored = 0
    for number in (signal.SIGINT, signal.SIGTERM):
        events = tmp_path / f"{number.name}.ndjson"
        process = assay.start(*arguments, "--events", events.name)
        assert wait_until(lambda: trials_told(events) >= 12)  # noqa: B023
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "Interrupted; everything found so far is stored." in out
        assert "Next: assay hunt --resume\n" in out
        assert "Traceback" not in err
        before, stored = stored, trials_stored(tmp_path / "assay.db")
        assert before + 12 <= stored < CASES
        arguments = ("hunt", "--resume")  # everything else is remembered

    resumed = assay(*arguments, "--json")
    assert resumed.code == 1, resumed.err
    assert f"continues at trial {stored}" in resumed.err
    assert (resumed.document["trials"], resumed.document["interrupted"]) == (CASES, False)
    assert recorded(tmp_path / "assay.db") == recorded(whole.store)


@pytest.mark.serial  # five seconds are those of a machine that does nothing else
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_hunt_whose_target_hangs_at_start_can_be_interrupted(
    assay: Command, tmp_path: Path, number: signal.Signals
) -> None:
    assay.write("hangs.py", "open('hanging', 'w').close()\nimport time\ntime.sleep(3600)\n")
    assay.write("assay.toml", target("mine", "hangs.py"))
    process = assay.start("hunt", "--targets", "mine,reference")
    assert wait_until((tmp_path / "hanging").exists)
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 5
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "assay: interrupted"
    assert "Traceback" not in err


#: The process that hunts gives wrong answers, the one that explains them gives none.
HANGS_WHEN_EXPLAINED = """
import os, time, keras

call = keras.layers.ReLU.call

def patched(self, x):
    if not os.path.exists("hunter"):
        open("hunter", "w").write(str(os.getpid()))
    if open("hunter").read() != str(os.getpid()):
        open("hanging", "w").close()
        time.sleep(3600)
    return call(self, x) + 1

keras.layers.ReLU.call = patched
"""


@pytest.mark.serial  # as above
def test_an_interrupt_does_not_wait_for_a_library_that_hangs_while_it_explains(
    assay: Command, tmp_path: Path
) -> None:
    assay.write("hangs.py", HANGS_WHEN_EXPLAINED)
    assay.write("assay.toml", target("mine", "hangs.py"))
    process = assay.start(
        *("hunt", "--no-witnesses", "--targets", "mine,keras-numpy", "--cases", "30"),
        *("--technique", "single-op", "--ops", "keras.layers.ReLU"),
    )
    assert wait_until((tmp_path / "hanging").exists)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 5
    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.stress
# Each kill is followed by a start of all libraries: more of them only make rare moments likelier.
@pytest.mark.parametrize("times", [6, pytest.param(12, marks=pytest.mark.deep)])
def test_a_hunt_killed_many_times_ends_as_if_it_never_was(
    assay: Command, tmp_path: Path, times: int, whole: Whole
) -> None:
    arguments = prepare(assay)
    moments = random.Random(times)
    amid_trials = 0
    seen: set[str] = set()
    for kill in range(times):
        events = tmp_path / f"events-{kill}.ndjson"
        process = assay.start(*arguments, "--resume", "--events", events.name)
        if kill % 3 == 0:
            time.sleep(moments.uniform(0.1, 1.5))  # before the first trial
        else:
            count = moments.randint(1, 4)
            told = wait_until(lambda: trials_told(events) >= count or process.poll() is not None)  # noqa: B023
            assert told
            time.sleep(moments.uniform(0.0, 0.05))
        assert process.poll() is None, "it ended before it could be killed: more cases are needed"
        seen.update(assay.processes().values())
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)
        assert process.returncode == -signal.SIGKILL
        assert wait_until(lambda: not assay.processes(), 30), assay.processes()
        if (tmp_path / "assay.db").exists():
            stored = trials_stored(tmp_path / "assay.db")
            assert stored >= trials_told(events)
            amid_trials += 0 < stored < CASES
    assert amid_trials >= times // 2
    assert any("assay_worker" in line for line in seen), "the search would have missed a survivor"
    resumed = assay(*arguments, "--resume", "--json")
    assert resumed.code == 1, resumed.err
    assert resumed.document["trials"] == CASES
    assert recorded(tmp_path / "assay.db") == recorded(whole.store)
    assert len(resumed.document["findings"]) == len(whole.document["findings"])
    artefacts = sorted(path.name for path in (tmp_path / "assay-artefacts").iterdir())
    assert artefacts == sorted(
        path.name for path in (whole.store.parent / "assay-artefacts").iterdir()
    )
