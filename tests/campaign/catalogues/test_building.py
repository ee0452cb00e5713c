"""Builds of a small catalogue, by real workers, of which some die."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.campaign.catalogues import BuildProgress, build
from assay.catalogue import storing
from assay.catalogue.records import Entry, Snapshot
from assay.targets import Target, builtin_targets

#: A place at a time, and each takes its time.
SLOWLY = """
import sys
from assay.campaign.catalogues import building
from assay.targets import Target
building._BATCH = 1
building.build(Target("torch", "torch", prelude=sys.argv[1], env={"SLOW": "0.3"}), sys.argv[2])
"""
PRELUDE = str(Path(__file__).with_name("harvested.py"))
VERSION = "tiny"


def target(**env: str) -> Target:
    known = builtin_targets()["torch"]
    return Target("torch", "torch", mode=known.mode, prelude=PRELUDE, env={**known.env, **env})


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def in_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(cache))


@pytest.fixture(scope="module")
def built(cache: Path) -> Snapshot:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(cache))
        return build(target(), VERSION, fresh=True)


def entry(built: Snapshot, api: str) -> Entry:
    return built.entry(api)


def test_calls_are_found_with_what_may_change(built: Snapshot) -> None:
    (call, scalar) = entry(built, "torch.add").calls
    assert [len(item.shape) for item in call.inputs] == [2, 1]
    assert call.inputs[0].shape[1] == call.inputs[1].shape[0]  # together
    assert call.arguments["alpha"] == 2
    assert "bfloat16" in call.dtypes
    assert call.dtypes[0] == "float32"
    assert call.valid >= 0.9
    assert call.differentiable
    assert scalar.inputs[0].shape == ()


def test_domains_are_as_wide_as_valid(built: Snapshot) -> None:
    assert all(item.free for item in entry(built, "torch.add").calls[0].inputs)
    (logarithm,) = entry(built, "torch.log").calls
    assert not logarithm.inputs[0].free
    assert logarithm.inputs[0].low >= 0
    (cholesky,) = entry(built, "torch.linalg.cholesky").calls
    assert cholesky.inputs[0].structure == "positive_definite"
    assert cholesky.inputs[0].shape[0] == cholesky.inputs[0].shape[1]


def test_a_constructor_follows_the_sizes_of_its_input(built: Snapshot) -> None:
    (linear,) = entry(built, "torch.nn.Linear").calls
    assert linear.params["0"] == {"$size": linear.inputs[0].shape[1]}
    assert linear.params["1"] == 4


def test_what_kills_the_process_is_left_out_and_told(built: Snapshot) -> None:
    careful = entry(built, "prelude.aborts")
    assert careful.calls
    assert not careful.calls[0].special
    assert careful.crashes == ("crashes (special)",)
    lost = entry(built, "prelude.always_aborts")
    assert not lost.calls
    assert "crashes (sample 0)" in lost.crashes
    assert lost.problem


def test_a_hang_costs_its_own_step_only(built: Snapshot) -> None:
    hanging = entry(built, "prelude.hangs")
    assert hanging.crashes == ("hangs (dtypes)",)
    assert hanging.calls
    assert hanging.calls[0].dtypes == ("float32",)


def test_what_differs_between_equal_calls_is_undefined(built: Snapshot) -> None:
    assert entry(built, "prelude.random").undefined
    assert not entry(built, "torch.add").undefined


def test_an_api_without_calls_says_why_in_words_that_stay_the_same(built: Snapshot) -> None:
    assert "expected something else" in entry(built, "prelude.refuses").problem
    assert "0x…" in entry(built, "prelude.refuses").problem


def test_names_without_a_sample_are_guessed_at(built: Snapshot) -> None:
    assert entry(built, "torch.rot90").calls
    assert entry(built, "torch.triu_indices").calls
    assert entry(built, "torch.rot90").calls[0].source == "guess"


def test_it_is_kept_and_two_builds_are_equal(built: Snapshot) -> None:
    assert storing.load("torch", VERSION) == built
    again = build(target(), VERSION, fresh=True)
    assert again.digest == built.digest
    assert not list(storing.home().glob("*.partial"))


def test_a_killed_build_goes_on_where_it_was(built: Snapshot, tmp_path: Path) -> None:
    environment = {**os.environ, "ASSAY_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", SLOWLY, PRELUDE, VERSION]
    running = subprocess.Popen(command, env=environment, start_new_session=True)
    partial = tmp_path / "catalogues" / f"torch-{VERSION}.partial"
    try:
        while not partial.exists() or partial.read_bytes().count(b"\n") < 2:
            assert running.poll() is None
            time.sleep(0.05)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    before = partial.read_bytes().count(b"\n") - 1
    # Torn, as by a crash of the machine.
    with open(partial, "ab") as file:
        file.write(b'{"step":"pro')
    told: list[BuildProgress] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(tmp_path))
        resumed = build(target(), VERSION, told.append)
    assert told[0].done == before >= 1
    assert resumed.digest == built.digest
