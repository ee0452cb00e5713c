"""Real TensorFlow with both sets of kernels: recorded, judged, told and replayed."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assay.campaign.explain import explain, finding_of
from assay.campaign.faults import Faults
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.start import started
from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.replay import replay
from assay.campaign.triage.reproducer import checked
from assay.ir import REFERENCE as REFEREE
from assay.ir import Arm, Finding, Node, Trial, to_json
from assay.judge import Observed, oracles
from assay.reproduce import script
from assay.store import open_store
from assay.targets import REFERENCE, Target, builtin_targets
from tests.reproduce.examples import case_of

USUAL, OTHER = "keras-tensorflow", "keras-tensorflow+onednn"
ASKED = (USUAL, OTHER, "keras-torch")
X = np.array([[[[1, 2], [0.5, -1]], [[1.5, -2], [-0.5, -1.5]]]], "float32")


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    known = builtin_targets()
    told: list[object] = []
    targets = (*(known[name] for name in ASKED), REFERENCE)
    with started(targets, told.append) as (opened, _):
        if OTHER not in opened.targets:
            pytest.skip("this TensorFlow has no oneDNN for this CPU")
        yield opened


def observed(laboratory: Laboratory, op: str, params: dict[str, object], index: int) -> Observed:
    case = case_of(Node("n0", op, ("x0",), params), {"x0": X}, np.ones((1, 1, 1, 2), "float32"))
    arms = tuple(map(Arm, (*ASKED, REFEREE)))
    return laboratory.observe(Trial(index, "test", (case,), arms))


def test_workers_say_what_they_use_whatever_was_asked(laboratory: Laboratory) -> None:
    machines = laboratory.machines
    assert [machines[name].settings["oneDNN"] for name in ASKED[:2]] == ["off", "on"]
    assert machines[USUAL].settings["subnormals"] in ("kept", "flushed")
    assert machines["keras-torch"].settings["threads"] == "1"
    assert machines[USUAL].cpu
    assert laboratory.platforms[OTHER].machine == machines[OTHER]


def test_other_kernels_take_a_share_of_the_trials_by_index(laboratory: Laboratory) -> None:
    case = case_of(Node("n0", "keras.ops.exp", ("x0",)), {"x0": X})
    arms = tuple(map(Arm, (*ASKED, REFEREE)))
    chosen = [laboratory.targets_of(Trial(index, "test", (case,), arms)) for index in range(400)]
    taking = [OTHER in targets for targets in chosen]
    assert 30 < sum(taking) < 70
    assert all(USUAL in targets for targets in chosen)
    # Without somebody else to check the usual kernels, each trial has both.
    few = arms[:2]
    assert all(
        OTHER in laboratory.targets_of(Trial(index, "test", (case,), few)) for index in range(20)
    )


def test_where_kernels_agree_the_other_is_not_heard(laboratory: Laboratory) -> None:
    seen = observed(laboratory, "keras.ops.average_pool", {"pool_size": 2}, 0)
    assert set(seen.traces) == {USUAL, "keras-torch", REFEREE}
    assert OTHER not in seen.trial.targets


@pytest.fixture(scope="module")
def death(laboratory: Laboratory) -> Finding:
    """The pooling whose gradient divides by zero with oneDNN."""
    seen = observed(laboratory, "keras.ops.adaptive_max_pool", {"output_size": 1}, 1)
    if OTHER not in seen.traces:
        pytest.skip("this TensorFlow has no such fault")
    verdicts = [verdict for oracle in oracles("") for verdict in oracle.judge(seen)]
    (verdict,) = (item for item in verdicts if item.blamed == (OTHER,))
    explained = explain(seen, verdict, laboratory.observe, laboratory.run)
    return finding_of(explained, seen.trial, "c", 1, laboratory.platforms, seen)


def test_the_odd_one_out_is_blamed_and_the_machine_is_kept(death: Finding, tmp_path: Path) -> None:
    assert (death.kind, death.category, death.blamed) == ("crash", "bug", (OTHER,))
    with open_store(str(tmp_path / "a.db")) as store:
        machines = {name: item.machine for name, item in death.platforms.items()}
        campaign = store.start_campaign(1, {}, death.versions, machines)
        store.record_trial(campaign.id, 0, [(death, {})], {}, 1.0)
        assert store.campaigns()[0].machines == machines
        assert store.finding(death.id).platforms == death.platforms


def test_its_script_shows_it_whatever_the_caller_has_set(
    death: Finding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    assert 'os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"' in script(death, {})
    known = builtin_targets()
    with closing(Interpreters([known[name] for name in ASKED])) as interpreters:
        result = checked(death, {}, interpreters.verify_fresh)
    assert result.reason == ""
    assert result.sound is not None


def test_replay_says_that_it_was_found_on_another_machine(death: Finding) -> None:
    platforms = {
        name: msgspec.structs.replace(
            item,
            machine=msgspec.structs.replace(
                item.machine,
                flags=(*item.machine.flags, "avx1024"),
                settings={**item.machine.settings, "threads": "9"},
            ),
        )
        for name, item in death.platforms.items()
    }
    elsewhere = msgspec.structs.replace(death, platforms=platforms, op="keras.ops.max_pool")
    known: dict[str, Target] = builtin_targets()
    (again,) = replay([elsewhere], known, Faults(print), attempts=1)
    assert not again.reproduced  # another op by now
    assert again.message.startswith("does not show here")
    assert "a CPU with avx1024" in again.machine_differs
    assert "threads 9 (here " in again.machine_differs
    (same,) = replay([death], known, Faults(print), attempts=1)
    assert (same.reproduced, same.machine_differs) == (1, "")
    assert "machine_differs" in to_json(same)
