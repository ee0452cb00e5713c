"""Targets that die or never answer: the hunt goes on, ends in time, and forgets nothing."""

import json
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.command import Command
from tests.e2e.patches import misbehaving, target

OPS = "keras.layers.ReLU,keras.layers.Softmax,keras.ops.add,keras.ops.abs"
HUNT = ("hunt", "--no-witnesses", "--targets", "mine", "--technique", "single-op", "--ops", OPS)


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    """A folder with a target on which ReLU never ends; calls may take six seconds."""
    (tmp_path / "patch.py").write_text(misbehaving("import time; time.sleep(3600)"))
    limits = '[limits]\ndeadline = "6s"\n'
    (tmp_path / "assay.toml").write_text(limits + target("mine", "patch.py"))
    return tmp_path


def judged(events: Path) -> list[int]:
    lines = events.read_text().splitlines() if events.exists() else []
    found = [json.loads(line) for line in lines if line.endswith("}")]
    return [item["index"] for item in found if item["event"] == "trial-finished"]


def test_a_hunt_goes_on_past_hangs_and_judges_each_trial_once_when_killed_and_resumed(
    assay: Command, hanging: Path
) -> None:
    arguments = (*HUNT, "--cases", "24", "--seed", "4")
    whole = assay(*arguments, "--store", "whole.db", "--events", "whole.ndjson", "--json")
    order = judged(hanging / "whole.ndjson")
    assert sorted(order) == list(range(24))
    assert order != sorted(order)  # what hangs is judged later
    assert "skipped: keras.layers.ReLU (forward) on mine: timeout" in whole.err
    found = {item["id"]: (item["kind"], item["op"]) for item in whole.document["findings"]}
    assert ("crash", "keras.layers.ReLU") in found.values()

    process = assay.start(*arguments, "--store", "parts.db", "--events", "first.ndjson")
    end = time.monotonic() + 120
    while len(judged(hanging / "first.ndjson")) < 4 and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    first = judged(hanging / "first.ndjson")
    rest = assay(
        *arguments, "--store", "parts.db", "--events", "second.ndjson", "--resume", "--json"
    )
    assert rest.document["trials"] == 24
    second = judged(hanging / "second.ndjson")
    # At most what was stored but not told when it was killed is missing, and nothing comes twice.
    assert len({*range(24)} - {*first, *second}) <= 1
    assert not set(first) & set(second)
    assert {item["id"] for item in rest.document["findings"]} == set(found)


def test_a_hunt_ends_in_time_though_everything_hangs_and_says_that_nothing_was_tested(
    assay: Command, hanging: Path
) -> None:
    (hanging / "assay.toml").write_text(target("mine", "patch.py"))
    # A layer without invalid values, which would be refused before anything hangs.
    (hanging / "patch.py").write_text(misbehaving("import time; time.sleep(3600)", "Add"))
    began = time.monotonic()
    only = ("--ops", "keras.layers.Add")
    result = assay(*HUNT[:-2], *only, "--budget", "15s", "--seed", "1", "--json")
    assert time.monotonic() - began < 15 + 10 + 5  # the interpreter's own start besides
    assert result.code == 2
    assert result.document["trials"] == 0
    assert "nothing was tested: the first trials still waited for answers" in result.err
    assert "mine" in result.document["untested"]


def test_resume_refuses_what_changed_since(assay: Command, hanging: Path) -> None:
    (hanging / "patch.py").write_text("")
    arguments = (*HUNT, "--seed", "2", "--quiet")
    assert assay(*arguments, "--cases", "3").code == 0
    (hanging / "patch.py").write_text("changed = True\n")
    refused = assay(*arguments, "--cases", "5", "--resume")
    assert refused.code == 2
    assert "the configuration or the prelude of mine has changed" in refused.err
    assert "--force" in refused.err
    forced = assay(*arguments, "--cases", "5", "--resume", "--force", "--json")
    assert forced.document["trials"] == 5
