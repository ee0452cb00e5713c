"""kill -9 at any moment loses at most the trial in flight."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.store import open_store
from tests.factories import make_finding

ROOT = Path(__file__).parents[2]
KILLS = 10


def start(url: str, config_hash: str) -> "subprocess.Popen[str]":
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "store" / "recorder.py"), url, config_hash],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.stress
def test_a_killed_recorder_loses_no_committed_trial(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    with open_store(url) as store:
        config_hash = store.start_campaign(7, {"seed": 7}, {}).config_hash
    chance = random.Random(7)
    for attempt in range(KILLS):
        child = start(url, config_hash)
        assert child.stdout is not None
        begin = int(child.stdout.readline().removeprefix("from "))
        # Half of them surely record something, however slow the machine is.
        first = [child.stdout.readline()] if attempt % 2 else []
        time.sleep(chance.uniform(0.0, 0.15))
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().splitlines()
        told = [int(line) for line in [*first, *rest] if line.strip()]
        assert child.wait() == -signal.SIGKILL
        child.stdout.close()
        last = told[-1] if told else begin - 1
        with open_store(url, create=False) as store:
            campaign = store.find_campaign(config_hash)
            assert campaign is not None
            # One more: committed, but killed before it could say so.
            assert campaign.next_trial in (last + 1, last + 2), f"kill {attempt}"
            done = campaign.next_trial
            assert campaign.statistics == ({"trials": done} if done else {})
            findings = {finding.fingerprint: finding for finding in store.findings()}
            expected = {make_finding(index - index % 3).fingerprint for index in range(done)}
            if done:
                expected.add(make_finding("old").fingerprint)
                assert findings[make_finding("old").fingerprint].count == done
            assert findings.keys() == expected
            for finding in findings.values():
                assert len(store.arrays(finding.id)) == 3
    assert done >= KILLS // 2, "the recorder was always killed before it could record"
    with open_store(url, create=False) as store:
        store.start_campaign(8, {}, {})
        artefacts = os.listdir(tmp_path / "assay-artefacts")
    assert [name for name in artefacts if not name.endswith(".safetensors")] == []


def test_two_recorders_share_a_store(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    with open_store(url) as store:
        hashes = [store.start_campaign(seed, {"seed": seed}, {}).config_hash for seed in (1, 2)]
    children = [start(url, config_hash) for config_hash in hashes]
    told = []
    for child in children:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(25)]
        told.append(int(lines[-1]))
    for child in children:
        child.kill()
        child.communicate()
    with open_store(url, create=False) as store:
        done = [campaign.next_trial for campaign in store.campaigns()]
        assert all(reached > last for reached, last in zip(done, told, strict=True))
        assert store.finding(make_finding("old").id).count == sum(done)
