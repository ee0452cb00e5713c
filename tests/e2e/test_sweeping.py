"""Ctrl-C while every number of float32 is tried."""

import signal
from pathlib import Path

from assay.campaign.precision import sweeping
from assay.store import open_store
from tests.e2e.command import Command, wait_until


def test_ctrl_c_keeps_the_blocks_that_are_done(assay: Command, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    line = ("precision", "keras.ops.tanh", "--exhaustive", "--dtype", "float32")
    line += ("--targets", "torch", "--store", store.name)
    known = 0
    for more in ((), ("--resume",)):
        process = assay.start(*line, *more)
        assert wait_until(lambda: blocks(store) > known + 1)  # noqa: B023
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "interrupted: --resume goes on with what is missing" in out
        assert "Traceback" not in err
        assert blocks(store) > known + 1
        known = blocks(store)


def blocks(store: Path) -> int:
    """How many blocks a store has of the only measurement."""
    if not store.exists():
        return 0
    with open_store(str(store), create=False) as opened:
        campaigns = opened.campaigns()
    assert len(campaigns) <= 1
    parts = campaigns[0].statistics.get("parts", {}) if campaigns else {}
    done = [part["done"] for part in parts.values()]
    assert all(number % sweeping.BLOCK == 0 for number in done)
    return sum(done) // sweeping.BLOCK
