"""Environments, made for real: whole or not at all, whatever happens meanwhile."""

import json
import os
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from assay.config import load
from assay.execute import Limits, Supervisor, request_for, traces_of
from assay.ir import Case, Graph, Input, Node, Uniform
from assay.targets import known_targets, resolve
from assay.targets.environments.interpreters import Interpreter, find
from tests.e2e.command import Command, one_line, wait_until
from tests.e2e.test_disks import mount

#: Bundle a setuptools that installs without further packages; newer ones do not.
OLD = ("3.7", "3.6", "3.8", "3.9", "3.10")
#: A package whose installation tells that it began, and waits as long as it is held.
HELD = """
import os, time
from setuptools import setup
open({started!r}, "w").close()
while os.path.exists({hold!r}):
    time.sleep(0.05)
setup(name="held", version="1.0", py_modules=["held"])
"""
DEFINITION = """
[environments.old]
python = "{python}"
pip = [["--no-index", "{held}"], ["--no-compile", "numpy<1.22"]]
variables = {{ SELFTEST_HOME = "{{prefix}}/home" }}

[environments.old.targets.selftest]
library = "selftest"

[environments.broken]
python = "{python}"
pip = [["--no-index", "no-such-thing==9"]]

[environments.big]
python = "{python}"
pip = [["--no-index", "{big}"]]

[environments.nowhere]
python = "3.99"
pip = [["numpy"]]
"""


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    """An interpreter of another version than ours."""
    for version in OLD:
        found = find(version)
        if isinstance(found, Interpreter):
            return found
    pytest.skip(f"no Python {', '.join(OLD)} on this machine")


@pytest.fixture
def prepared(
    assay: Command, interpreter: Interpreter, big: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """The command with definitions, a cache of its own, and a package that waits."""
    source = assay.folder / "source"
    source.mkdir()
    (source / "held.py").touch()
    hold = assay.folder / "hold"
    hold.touch()
    started = assay.folder / "started"
    (source / "setup.py").write_text(HELD.format(started=str(started), hold=str(hold)))
    text = DEFINITION.format(
        python=".".join(interpreter.version.split(".")[:2]),
        held=source,
        big=big,
    )
    assay.write("assay.toml", text)
    monkeypatch.setenv("ASSAY_CACHE", str(assay.folder / "cache"))
    return assay


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that is small until it is unpacked."""
    path = tmp_path_factory.mktemp("big") / "big-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.py", b"#" * (60 << 20))
        archive.writestr(
            "big-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: big\nVersion: 1.0\n"
        )
        archive.writestr("big-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("big-1.0.dist-info/RECORD", "")
    return path


@pytest.fixture
def small_disk(prepared: Command) -> Iterator[Path]:
    """Where a disk is mounted whose size a test chooses."""
    place = prepared.folder / "disk"
    place.mkdir()
    problem = mount("-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place))
    if problem:
        pytest.skip(f"cannot mount a tmpfs here: {problem}")
    with ExitStack() as stack:
        stack.callback(subprocess.run, ["umount", "-l", str(place)], check=True)
        yield place


def states(assay: Command) -> dict[str, str]:
    """What ``assay env list`` says of each environment."""
    listed = assay("env", "list", "--json").document["environments"]
    return {item["name"]: item["state"] for item in listed}


def folders(assay: Command) -> list[str]:
    """What there is of environments, logs left out."""
    found = (assay.folder / "cache" / "environments").glob("*")
    return sorted(path.name for path in found if path.suffix != ".log")


def test_killed_while_installing_then_made_by_two_at_once_used_and_removed(
    prepared: Command,
) -> None:
    refused = one_line(prepared("hunt", "--targets", "selftest@old", "--cases", "1"))
    assert "assay env create old" in refused

    killed = prepared.start("env", "create", "old")
    assert wait_until((prepared.folder / "started").exists)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert states(prepared)["old"] == "busy", "the installer it started still writes"

    # Both wait for it; then one makes it, and the other gets what the first made.
    both = [prepared.start("env", "create", "old", "--json") for _ in range(2)]
    told = [process.stderr.readline() + process.stderr.readline() for process in both]
    assert all("another process is making old: waiting for it" in text for text in told)
    (prepared.folder / "hold").unlink()
    documents = [json.loads(process.communicate(timeout=240)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(document["created"] for document in documents) == [False, True]
    first, second = (document["environment"] for document in documents)
    assert first == second
    assert first["targets"] == ["selftest@old"]
    assert set(first["packages"]) >= {"held", "numpy"}
    assert folders(prepared) == [Path(first["prefix"]).name], "no lock and nothing else is left"
    assert states(prepared)["old"] == "ready"
    again = prepared("env", "create", "old", "--json")
    assert (again.code, again.document["created"]) == (0, False)

    used_by_a_worker(prepared.folder / "assay.toml", first["prefix"], first["version"])
    (diagnosis,) = prepared("env", "doctor", "old", "--json").document["environments"]
    assert (diagnosis["problem"], diagnosis["status"]["state"]) == ("", "ready")

    changed = (prepared.folder / "assay.toml").read_text().replace("numpy<1.22", "numpy<1.21")
    prepared.write("assay.toml", changed)
    assert states(prepared)["old"] == "outdated"
    assert "assay env create old" in one_line(
        prepared("hunt", "--targets", "selftest@old", "--cases", "1")
    )
    assert prepared("env", "remove", "old", "--json").document["removed"] == [first["prefix"]]
    assert os.listdir(prepared.folder / "cache" / "environments") == []
    assert "nothing to remove" in one_line(prepared("env", "remove", "old"))


def used_by_a_worker(config: Path, prefix: str, version: str) -> None:
    """Its target runs a case, with the interpreter and the variables of the environment."""
    (target,) = resolve(["selftest@old"], known_targets(load(str(config))))
    assert (target.library, target.environment) == ("selftest", "old")
    assert target.env == {"SELFTEST_HOME": f"{prefix}/home"}
    node = Node("n", "selftest.scale", ("x",), {"factor": 3.0})
    case = Case(Graph((Input("x", (5,)),), (node,), ("n",)), {"x": Uniform(1)})
    with Supervisor([target], Limits(run_seconds=30), standbys=False) as supervisor:
        hello = supervisor.start()[target.name]
        (trace,) = traces_of(target.name, supervisor.ask(target.name, request_for(case)))
    assert hello.versions["python"] == version
    assert trace.status == "ok"


def test_interrupted_while_installing_nothing_is_left(prepared: Command) -> None:
    process = prepared.start("env", "create", "old")
    assert wait_until((prepared.folder / "started").exists)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "assay: interrupted"
    assert folders(prepared) == []
    assert states(prepared)["old"] == "absent"


def test_pins_that_do_not_exist_are_named_and_nothing_is_left(prepared: Command) -> None:
    line = one_line(prepared("env", "create", "broken", "--quiet"))
    assert "cannot install --no-index no-such-thing==9 for Python" in line
    assert "No matching distribution found for no-such-thing==9" in line
    assert folders(prepared) == []
    log = Path(line.split()[-1])
    assert "no-such-thing" in log.read_text()


def test_an_interpreter_that_is_missing_is_named_with_a_way_to_get_it(prepared: Command) -> None:
    line = one_line(prepared("env", "create", "nowhere", "--quiet"))
    assert "nowhere needs Python 3.99" in line
    assert "pyenv install 3.99" in line
    assert not (prepared.folder / "cache").exists()
    (diagnosis,) = prepared("env", "doctor", "nowhere", "--json").document["environments"]
    assert "no Python 3.99" in diagnosis["problem"]
    assert "pyenv install 3.99" in diagnosis["hint"]


@pytest.mark.parametrize("size", ["4m", "64m"], ids=["while venv runs", "while pip runs"])
def test_a_disk_that_fills_up_is_said_and_nothing_is_left(
    prepared: Command, small_disk: Path, size: str
) -> None:
    assert mount("-o", f"remount,size={size}", str(small_disk)) == ""
    done = prepared("env", "create", "big", "--quiet", ASSAY_CACHE=str(small_disk))
    line = one_line(done)
    assert f"no space left on the disk of {small_disk}/environments: big could not be made" in line
    assert "ASSAY_CACHE" in line
    left = [path for path in (small_disk / "environments").iterdir() if path.suffix != ".log"]
    assert left == []
