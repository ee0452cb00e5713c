"""The Makefile: what fails must be seen to fail, and nothing half-made may look complete."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("Makefile", "pyproject.toml", "constraints.txt")


def make(
    folder: Path, *arguments: str, path: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    if path is not None:
        environment["PATH"] = path
    command = [shutil.which("make") or "make", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that `make` reads, without an environment."""
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    for name in ("src", "tests", "benchmarks"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def ready(checkout: Path) -> Path:
    """A checkout whose environment is complete as far as make can see."""
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / ".venv" / "pyvenv.cfg").touch()
    (checkout / ".venv" / ".assay-ready").touch()
    return checkout


def tools_only(folder: Path) -> str:
    """A PATH without any Python."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("sh", "sed", "ls", "printf", "tail", "touch", "rm"):
        found = shutil.which(name)
        assert found, name
        (tools / name).symlink_to(found)
    return str(tools)


def test_help_is_the_default_and_names_every_command(checkout: Path) -> None:
    result = make(checkout)
    assert result.returncode == 0
    for command in ("setup", "hunt", "test", "lint", "bench", "clean"):
        assert f"make {command} " in result.stdout


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 0), (2, 2), (3, 2), (130, 2)])
def test_findings_are_success_for_make_hunt_and_errors_are_not(
    ready: Path, code: int, expected: int
) -> None:
    executable(ready / ".venv/bin/assay", f'echo "called: $*"; exit {code}')
    result = make(ready, "hunt")
    targets = "keras-tensorflow,keras-jax,keras-torch"
    assert f"called: hunt --budget 2m --targets {targets}" in result.stdout
    assert result.returncode == expected
    if expected:
        assert f"exit code {code}" in result.stderr


@pytest.mark.parametrize(
    ("parallel", "serial", "expected"),
    [(0, 0, 0), (1, 0, 2), (0, 1, 2), (0, 5, 0), (5, 0, 0), (5, 5, 2), (2, 5, 2), (0, 3, 2)],
)
def test_make_test_runs_both_parts_and_fails_if_either_does(
    ready: Path, parallel: int, serial: int, expected: int
) -> None:
    script = f'echo "called: $*"; case "$*" in *"-n "*) exit {parallel};; esac\n'
    executable(ready / ".venv/bin/python", script + f"exit {serial}\n")
    result = make(ready, "test")
    assert result.stdout.count("called: -m pytest") == 2
    assert result.returncode == expected


def test_a_complete_environment_is_not_touched_again(ready: Path) -> None:
    executable(ready / ".venv/bin/python", "echo must not be called; exit 1")
    result = make(ready, "setup")
    assert result.returncode == 0
    assert "setup:" not in result.stdout


def test_a_failing_install_says_so_and_leaves_no_stamp(checkout: Path) -> None:
    """A version that does not exist: pip itself has to refuse it."""
    (checkout / "constraints.txt").write_text("setuptools==0.0.0.1\n", encoding="utf-8")
    result = make(checkout, "setup", f"PYTHON={sys.executable}", "PIP_NO_INDEX=1")
    assert result.returncode == 2
    assert "setup: FAILED: pip could not install setuptools" in result.stderr
    assert not (checkout / ".venv/.assay-ready").exists()


@pytest.mark.parametrize(
    ("condition", "complaint"),
    [
        ("sys.version_info = (3, 9, 18)", "python3: it is Python 3.9;"),
        ("sys.version_info = (3, 14, 0)", "python3: it is Python 3.14;"),
        ("sys.modules['ensurepip'] = None", "python3: it lacks ensurepip (Debian, Ubuntu: apt"),
    ],
)
def test_a_machine_without_a_fit_python_gets_one_clear_message(
    checkout: Path, condition: str, complaint: str
) -> None:
    """The real check, in a real interpreter that is made to look unfit."""
    path = tools_only(checkout)
    code = f"import sys; {condition}; exec(sys.argv[1])"
    executable(checkout / "tools/python3", f'exec "{sys.executable}" -c "{code}" "$2"\n')
    result = make(checkout, "setup", path=path)
    assert result.returncode == 2
    assert "expected a Python 3.11, 3.12 or 3.13 with venv and pip" in result.stderr
    assert complaint in result.stderr
    assert "python3.13: not found" in result.stderr
    assert not (checkout / ".venv").exists()


def test_the_next_python_is_tried_when_the_first_is_unfit(checkout: Path) -> None:
    path = tools_only(checkout)
    executable(checkout / "tools/python3", "exit 1")
    executable(checkout / "tools/python3.12", f'exec "{sys.executable}" "$@"\n')
    (checkout / "constraints.txt").write_text("setuptools==0.0.0.1\n", encoding="utf-8")
    result = make(checkout, "setup", "PIP_NO_INDEX=1", path=path)
    assert "setup: creating .venv with python3.12 (Python 3." in result.stdout
    assert "setup: FAILED: pip could not install setuptools" in result.stderr


def test_a_folder_that_is_no_environment_is_left_alone(checkout: Path) -> None:
    (checkout / "mine").mkdir()
    (checkout / "mine" / "thesis.txt").touch()
    for goal in ("setup", "clean"):
        result = make(checkout, goal, "VENV=mine")
        assert (result.returncode != 0) == (goal == "setup"), result.stderr
        assert (checkout / "mine" / "thesis.txt").exists()
