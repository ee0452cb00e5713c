"""The real command as a process, and what a test wants to know of it."""

import functools
import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from math import inf, prod
from pathlib import Path
from typing import Any

import msgspec

from assay.ir import to_json
from assay.sources import create
from assay.store import open_store

#: In the environment of every process a test starts, and so of their workers.
MARKER = "ASSAY_TEST_MARKER"
#: A target that starts in about a second.
QUICK_TARGET = "keras-numpy"


class Done(msgspec.Struct, frozen=True):
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


class Command:
    """The command in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marker = uuid.uuid4().hex

    def __call__(self, *arguments: str, timeout: float = 240, **environment: str) -> Done:
        """Run the command to its end."""
        began = time.monotonic()
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=timeout)
        return Done(process.returncode, out, err, time.monotonic() - began)

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        """Start the command. Hunts that name no technique use the quick one."""
        if arguments[:1] == ("hunt",) and not {"--technique", "--preset"} & set(arguments):
            arguments = (*arguments, "--technique", "single-op")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KERAS")}
        return subprocess.Popen(
            [sys.executable, "-m", "assay", *arguments],
            cwd=self.folder,
            env={**kept, MARKER: self.marker, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def write(self, name: str, text: str) -> str:
        """A file in the folder; its name."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def processes(self) -> dict[int, str]:
        """Processes this command started, directly or not, that still run: id -> command line."""
        mark = f"{MARKER}={self.marker}".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if mark not in (entry / "environ").read_bytes():
                    continue
                words = (entry / "cmdline").read_bytes().split(b"\0")
                status = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:  # it ended while we looked
                continue
            if status != "Z":
                found[int(entry.name)] = b" ".join(words).decode("utf-8", "replace")
        return found


def wait_until(true: Callable[[], object], seconds: float = 180) -> bool:
    """Wait until a condition holds; whether it did in time, however busy the machine is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return bool(true())


def one_line(done: Done) -> str:
    """The error line of a command that was refused: all there is on stderr, without a traceback."""
    assert (done.code, done.out) == (2, ""), done
    assert done.err.endswith("\n"), done
    (line,) = done.err.splitlines()
    assert line.startswith("assay: "), line
    assert "Traceback" not in line
    return line


#: TensorFlow looks at attributes in another order in each process, and names the first that will
#: not do: what an error says is not of the seed, though its id is.
_WORDED = re.compile(r'Value for attr (?:[^"\\]|\\.)*')


def recorded(store: Path) -> list[dict[str, Any]]:
    """Everything a store holds about its findings that two runs with one seed must share."""
    with open_store(str(store), create=False) as opened:
        findings = opened.findings()
        arrays = {finding.id: opened.arrays(finding.id) for finding in findings}
        shown = {finding.id: opened.occurrences(finding.id) for finding in findings}
    records = []
    for finding in findings:
        record = json.loads(to_json(finding))
        del record["campaign"]  # named after the day
        if finding.reproducer is not None:
            record["reproducer"] = Path(finding.reproducer).read_text(encoding="utf-8")
        record["arrays"] = {
            name: (str(array.dtype), array.shape, array.tobytes().hex())
            for name, array in sorted(arrays[finding.id].items())
        }
        record["trials"] = [occurrence.trial for occurrence in shown[finding.id]]
        records.append(json.loads(_WORDED.sub("Value for attr", json.dumps(record))))
    return records


@functools.cache
def seed_that_draws(op: str, within: int, **params: object) -> int:
    """A seed whose first trials use an op (with these parameters), whatever the vocabulary.

    On ordinary numbers: a fault of the op changes its answer.
    """
    for seed in range(10_000):
        source = create("single-op", seed, (QUICK_TARGET, "reference"))
        for index in range(within):
            if source._turn(index).spec.name != op:
                continue  # to draw it would take most of the time
            trial = source.ask(index)
            node = trial.case.graph.nodes[0]
            ordinary = (op, "input", "ordinary") in trial.classes and prod(
                trial.case.graph.inputs[0].shape
            )
            if (
                trial.intent == "valid"
                and ordinary
                and 0.0 not in node.params.values()  # nothing is above a maximum of 0
                # Nor is anything between a threshold and a maximum below it.
                and (node.params.get("threshold") or 0.0) < (node.params.get("max_value") or inf)
                and node.op == op
                and params.items() <= node.params.items()
            ):
                return seed
    raise AssertionError(f"no seed draws {op} in {within} trials")
