"""Programs that know interpreters are asked for what is neither on the PATH nor in pyenv.

Small scripts stand in for uv and the py launcher: they take the command lines that these document,
and answer with a real interpreter.
"""

import sys
from pathlib import Path

import pytest

from assay.targets.environments.interpreters import Interpreter, find

OURS = ".".join(map(str, sys.version_info[:2]))
VERSIONS = ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
#: Prints the path; an error and exit code 2 where it has none.
UV = """#!/bin/sh
if [ "$*" = "python find --no-python-downloads {version}" ]; then echo "{path}"; exit 0; fi
echo "error: No interpreter found" >&2
exit 2
"""
#: Runs the interpreter of that version with the rest of the arguments.
PY = """#!/bin/sh
if [ "$1" = "-{version}" ]; then shift; exec "{path}" "$@"; fi
echo "No executable found" >&2
exit 1
"""


@pytest.fixture(scope="module")
def other() -> Interpreter:
    """An interpreter of another version than ours, which is always found."""
    for version in VERSIONS:
        found = find(version) if version != OURS else ""
        if isinstance(found, Interpreter):
            return found
    pytest.skip(f"no Python but {OURS} on this machine")


@pytest.mark.parametrize(("program", "text"), [("uv", UV), ("py", PY)], ids=["uv", "py"])
def test_an_interpreter_that_only_a_program_knows_is_found(
    program: str,
    text: str,
    other: Interpreter,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    short = ".".join(other.version.split(".")[:2])
    lacking = find(short)
    assert isinstance(lacking, str)
    assert lacking.startswith(f"no Python {short} ")

    script = tmp_path / program
    script.write_text(text.format(version=short, path=other.path))
    script.chmod(0o755)
    assert find(short) == other
    assert "no Python 3.99" in str(find("3.99")), "what it says it lacks is no interpreter"
