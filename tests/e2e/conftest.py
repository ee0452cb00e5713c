"""A folder and the command in it; whatever a test leaves running is its failure."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import Command, wait_until


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
