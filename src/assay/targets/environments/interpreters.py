"""Interpreters of this machine that an environment can be made with."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from assay.errors import TargetError

#: Everything that making an environment needs, and what it must be told.
_QUESTION = """
import json, sys
try:
    import ensurepip, venv
    lacks = ""
except ImportError as error:
    lacks = str(error)
version = ".".join(map(str, sys.version_info[:3]))
print(json.dumps([version, sys.base_prefix, lacks, sys.executable]))
"""
_SECONDS = 30
_PLACES = "the PATH, pyenv, the py launcher, uv"
#: uv offers no older ones.
_OLDEST_OF_UV = (3, 8)


class Interpreter(msgspec.Struct, frozen=True):
    """A Python that can make environments. ``base`` is the folder it is installed in."""

    path: str
    version: str
    base: str


def find(version: str) -> Interpreter | str:
    """The first interpreter of this version (3.7, or 3.7.16), else one line why there is none."""
    refused = []
    for path in dict.fromkeys(_candidates(version)):
        answer = ask(path)
        if isinstance(answer, str):
            refused.append(answer)
        elif f"{answer.version}.".startswith(f"{version}."):
            return answer
    because = f" ({refused[0]})" if refused else ""
    return f"no Python {version} that can make environments was found{because}: looked at {_PLACES}"


def needed(version: str, name: str) -> Interpreter:
    """The same for the environment ``name``; ``TargetError`` that says how to get one."""
    found = find(version)
    if isinstance(found, str):
        raise TargetError(f"{name} needs Python {version}, and {found}. {how_to_get(version)}")
    return found


def how_to_get(version: str) -> str:
    """What to type for an interpreter of that version."""
    numbers = tuple(int(part) for part in version.split(".")[:2])
    ways = [f"pyenv install {version}"]
    if numbers >= _OLDEST_OF_UV:
        ways.append(f"uv python install {version}")
    return f"Get it with: {' or '.join(ways)}"


def _candidates(version: str) -> Iterator[str]:
    short = ".".join(version.split(".")[:2])
    if ".".join(map(str, sys.version_info[:2])) == short:
        yield sys.executable
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, f"python{short}")
        # A shim of pyenv answers for the versions that are switched on only; the files follow.
        if os.access(path, os.X_OK):
            yield path
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    versions = [path for path in root.glob(f"versions/{short}.*") if path.name[-1].isdigit()]
    for place in sorted(versions, key=lambda path: _numbers(path.name), reverse=True):
        yield str(place / "bin" / "python")
    for tool, *arguments in (
        ("py", f"-{short}", "-c", "import sys; print(sys.executable)"),
        ("uv", "python", "find", "--no-python-downloads", version),
    ):
        found = shutil.which(tool)
        if found is not None:
            yield from _output([found, *arguments]).split("\n")[:1]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _output(command: list[str]) -> str:
    """What a command prints; "" if it does not work: then it has nothing to offer."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def ask(path: str) -> Interpreter | str:
    """What an interpreter says of itself, or one line why it cannot make environments."""
    if not os.access(path, os.X_OK):
        return f"{path or 'nothing'} cannot be executed"
    answer = _output([path, "-I", "-c", _QUESTION])
    try:
        version, base, lacks, executable = json.loads(answer)
    except ValueError:
        return f"{path} does not answer"
    if lacks:
        return f"{path} has {lacks.lower()}: install its venv package"
    return Interpreter(executable or path, version, base)
