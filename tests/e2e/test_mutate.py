"""Known models through the command, on real libraries: a fault that only a search reaches."""

import time

import pytest

from assay.store import open_store
from tests.e2e.command import Command, recorded, wait_until

#: A softmax that is right up to logits of 7.4, and overflows above: behind eight other layers.
PRELUDE = """
import keras

def call(self, inputs, mask=None):
    powers = keras.ops.exp(inputs * 12.0) ** (1.0 / 12.0)
    return powers / keras.ops.sum(powers, axis=self.axis, keepdims=True)

keras.layers.Softmax.call = call
"""
SETTINGS = """
[targets.mine]
library = "keras"
backend = "torch"
prelude = "wrong.py"

[mutate]
models = ["lenet5"]
variants = 1
searched = 1
inputs = 0
varied = 0.0
levels = ["input"]
goals = ["nan"]
bound = 1.0

[limits]
start = "10m"
"""
ARGUMENTS = ("hunt", "--technique", "mutate", "--targets", "mine,keras-torch", "--seed", "1")


def prepare(assay: Command) -> None:
    assay.write("wrong.py", PRELUDE)
    assay.write("assay.toml", SETTINGS)


@pytest.mark.timeout(900)
def test_a_fault_behind_all_layers_is_found_by_search_and_shown_as_any_other(
    assay: Command,
) -> None:
    prepare(assay)
    done = assay(*ARGUMENTS, "--cases", "2", "--no-witnesses", "--json", timeout=500)
    assert done.code == 1, done.err
    found = [item for item in done.document["findings"] if item["category"] == "bug"]
    assert {(item["op"], tuple(item["blamed"])) for item in found} == {
        ("keras.layers.Softmax", ("mine",))
    }
    searches = done.document["searches"]
    assert searches["searches"] == searches["shown"] == 2
    assert searches["evaluations"] < 2000
    finding = found[0]
    assert len(finding["case"]["graph"]["nodes"]) == 1
    assert len(finding["original"]["graph"]["nodes"]) == 9
    replayed = assay("replay", finding["id"], timeout=300)
    assert "still there" in replayed.out, replayed


@pytest.mark.timeout(1800)
def test_a_hunt_killed_in_the_middle_of_a_search_ends_as_if_it_never_was(assay: Command) -> None:
    prepare(assay)
    arguments = (*ARGUMENTS, "--cases", "3", "--no-witnesses")
    whole = assay(*arguments, "--store", "whole.db", "--quiet", timeout=500)
    assert whole.code == 1, whole.err
    process = assay.start(*arguments, "--events", "events.ndjson", "--quiet")
    events = assay.folder / "events.ndjson"

    def judged() -> int:
        return events.read_bytes().count(b'"trial-finished"') if events.exists() else 0

    assert wait_until(lambda: judged() >= 1 or process.poll() is not None, 400)
    time.sleep(0.1)
    assert process.poll() is None, "it ended before it could be killed"
    process.kill()
    process.communicate(timeout=30)
    with open_store(str(assay.folder / "assay.db")) as opened:
        (campaign,) = opened.campaigns()
        assert campaign.next_trial - len(campaign.open_trials) < 3
    again = assay(*arguments, "--resume", "--quiet", timeout=500)
    assert again.code == 1, again.err
    assert recorded(assay.folder / "assay.db") == recorded(assay.folder / "whole.db")
