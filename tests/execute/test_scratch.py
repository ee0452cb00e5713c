"""Directories of a host that was killed are removed by the next; those of a living one are not."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from assay.execute import scratch, sweep

HOST = """
import sys, time
from assay.execute import scratch
kept = scratch("worker")
print(kept.name, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_host_left_is_removed_and_what_lives_is_kept(temporary: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(temporary)}
    host = subprocess.Popen(
        [sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert host.stdout is not None
    theirs = Path(host.stdout.readline().strip())
    mine = scratch("verify")
    (theirs / "something").write_text("large")
    try:
        assert sweep() == ()
        assert theirs.is_dir()
    finally:
        os.kill(host.pid, signal.SIGKILL)
        host.communicate()
    assert sweep() == (str(theirs),)
    assert not theirs.exists()
    assert Path(mine.name).is_dir()
    mine.cleanup()


def test_a_directory_of_nobody_known_is_left_alone(temporary: Path) -> None:
    (temporary / "assay-report").mkdir()
    elsewhere = temporary / "assay-worker-of-another-machine"
    elsewhere.mkdir()
    (elsewhere / ".assay-owner").write_text("another/machine 999999 1")
    assert sweep() == ()
    assert elsewhere.is_dir()
