"""A folder and the command in it; whatever a test leaves running is its failure."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import Command, recorded, wait_until
from tests.e2e.whole import Whole, prepare


@pytest.fixture
def assay(tmp_path: Path) -> Iterator[Command]:
    """The command in an empty folder. No process of it may survive the test."""
    command = Command(tmp_path)
    yield command
    gone = wait_until(lambda: not command.processes(), 10)
    left = command.processes()
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert gone, f"still running: {left}"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The hunt of ``prepare``, from beginning to end: run once, read by many."""
    command = Command(tmp_path_factory.mktemp("whole"))
    done = command(*prepare(command), "--json")
    assert done.code == 1, done.err
    store = command.folder / "assay.db"
    assert recorded(store), "an empty comparison would prove nothing"
    return Whole(store, done.document)
