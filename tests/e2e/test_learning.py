"""Techniques of another distribution, through the real command: sources that learn, killed and
resumed, and equivalent programs on one target."""

import json
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

from assay.store import open_store
from tests.e2e.command import Command, recorded, wait_until

PLUGIN = Path(__file__).parent / "plugin"
PATH = {"PYTHONPATH": os.pathsep.join([str(PLUGIN), os.environ.get("PYTHONPATH", "")])}
CASES = 400
#: Trials between two steps of the source that learns (see plugin/).
GENERATION = 6
#: Wrong where the factor is large, and slower than ``wait_until`` looks: it sees each trial.
FAULT = """
import time
from assay_worker.libraries import selftest

scale = selftest.OPS["scale"]

def wrong(array, factor=2.0):
    time.sleep(0.03)
    return scale(array, factor=factor) * (1.25 if factor > 2.5 else 1)

selftest.OPS["scale"] = wrong
"""
TARGETS = """
[targets.right]
library = "selftest"
backend = "right"

[targets.wrong]
library = "selftest"
backend = "wrong"
prelude = "fault.py"
"""


def prepare(assay: Command, technique: str, cases: int = CASES) -> list[str]:
    assay.write("fault.py", FAULT)
    assay.write("assay.toml", TARGETS)
    arguments = ["hunt", "--technique", technique, "--targets", "right,wrong", "--no-witnesses"]
    return [*arguments, "--seed", "3", "--cases", str(cases)]


def learned(store: Path) -> Any:
    """What the source of a store's campaign knows at the end, and where it ended."""
    with open_store(str(store), create=False) as opened:
        (campaign,) = opened.campaigns()
    return campaign.next_trial, campaign.statistics["sources"]


@pytest.mark.parametrize("times", [5, pytest.param(20, marks=pytest.mark.deep)])
def test_a_source_that_learns_killed_many_times_ends_as_if_it_never_was(
    assay: Command, tmp_path: Path, times: int
) -> None:
    cases = times * CASES // 20
    arguments = prepare(assay, "climb", cases)
    whole = assay(*arguments, "--store", "whole.db", "--quiet", **PATH)
    again = assay(*arguments, "--store", "again.db", "--quiet", **PATH)
    assert (whole.code, again.code) == (0, 0), whole.err
    moments = random.Random(1)
    kills, amid, reached = 0, 0, 0
    while kills < times:
        events = tmp_path / f"events-{kills}.ndjson"
        process = assay.start(*arguments, "--resume", "--events", events.name, **PATH)
        # Killed a few trials after the beginning of a generation, long before its end.
        count = moments.randint(1, cases // times - 2 * GENERATION)
        count += (2 - reached - count) % GENERATION

        def told(file: Path = events) -> int:
            return file.read_bytes().count(b'"trial-finished"') if file.exists() else 0

        assert wait_until(lambda: told() >= count or process.poll() is not None)  # noqa: B023
        time.sleep(moments.uniform(0.0, 0.01))
        assert process.poll() is None, "it ended before it could be killed: more cases are needed"
        process.kill()
        process.communicate(timeout=30)
        with open_store(str(tmp_path / "assay.db")) as opened:
            reached = opened.campaigns()[-1].next_trial
        amid += reached % GENERATION != 0
        kills += 1
    assert assay(*arguments, "--resume", "--quiet", **PATH).code == 0
    assert amid, "some kills should come in the middle of a generation"
    reached, known = learned(tmp_path / "whole.db")
    assert reached == cases
    assert known["climb"]["state"]["memory"][0] > 2.5, "it did not climb"
    assert learned(tmp_path / "assay.db") == learned(tmp_path / "again.db") == (reached, known)
    findings = recorded(tmp_path / "whole.db")
    assert [finding["category"] for finding in findings] == ["undecided"]
    assert recorded(tmp_path / "assay.db") == recorded(tmp_path / "again.db") == findings


def test_of_equivalent_programs_on_one_target_the_odd_one_is_blamed(
    assay: Command, tmp_path: Path
) -> None:
    arguments = prepare(assay, "doubling", cases=12)
    done = assay(*arguments, "--json", **PATH)
    assert done.code == 1, done.err
    (bug,) = [item for item in done.document["findings"] if item["category"] == "bug"]
    assert (bug["kind"], bug["blamed"], bug["op"]) == ("equivalence", ["wrong"], "selftest.scale")
    named = {item["target"] for item in bug["evidence"]["observations"]}
    assert {"wrong", "wrong#rule:halve", "wrong#rule:double", "right"} <= named
    assert "right" in bug["evidence"]["reason"]

    shown = assay("show", bug["id"], **PATH)
    assert "wrong#rule:halve" in shown.out
    replayed = assay("replay", bug["id"], "--json", **PATH)
    assert json.loads(replayed.out)["replays"][0]["reproduced"] == 2, replayed.out
    assay.write("fault.py", "")
    gone = assay("replay", bug["id"], "--json", **PATH)
    assert json.loads(gone.out)["replays"][0]["reproduced"] == 0, gone.out


#: Fails at everything once it was asked often enough: a library may be left in such a state.
SPOILT = """
from assay_worker.libraries import selftest

scale, asked = selftest.OPS["scale"], []

def spoilt(array, factor=2.0):
    asked.append(1)
    if len(asked) > 10:
        raise RuntimeError("could not create a primitive")
    return scale(array, factor=factor)

selftest.OPS["scale"] = spoilt
"""


def test_what_new_processes_do_not_show_is_no_bug_and_its_workers_are_replaced(
    assay: Command, tmp_path: Path
) -> None:
    arguments = prepare(assay, "climb", cases=60)
    assay.write("fault.py", SPOILT)
    done = assay(*arguments, "--json", **PATH)
    assert done.code == 0, done.err
    (flaky,) = done.document["findings"]
    assert (flaky["category"], flaky["kind"]) == ("flaky", "error")
    # Whichever of the workers was in that state.
    said = ("a new process does not show it", "it could not be reproduced")
    assert flaky["evidence"]["reason"] in said
