"""Run a reproducer in a fresh interpreter: what it says counts, not what we think."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from assay.campaign.running.cheapest import cheapest_first
from assay.execute import scratch
from assay.ir import Array, Finding, Platform, platform_of
from assay.libraries.kernels import INSTRUCTIONS, contrary
from assay.reproduce import CannotReproduce, as_recorded, script, sides_of, speaker_of

#: A fresh interpreter imports a large library first.
SECONDS = 300.0
_NOTHING: Mapping[str, str] = {}
#: Libraries greet on stderr, and look for devices that no script asks for.
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
#: How the line begins that a script prints before it ends by itself.
LAST_WORDS = ("expected", "no exception", "before", "100 runs agree")


class Outcome(msgspec.Struct, frozen=True):
    """How a script ended. ``code`` is None if it did not end by itself, or with a traceback."""

    code: int | None
    output: str
    error: str


def verify(
    script: str,
    backend: str = "",
    python: str = sys.executable,
    seconds: float = SECONDS,
    environment: Mapping[str, str] = _NOTHING,
    beside: bytes = b"",
    arguments: Sequence[str] = (),
    started: Callable[["subprocess.Popen[str]"], None] = lambda process: None,
) -> Outcome:
    """Run the script in a folder of its own, with KERAS_BACKEND set if a backend is given.

    ``environment`` is added to that of this process; ``beside`` is the content of the
    .npz file that the script has beside it, ``arguments`` are for the script. ``started`` is
    told of the process, which has a session of its own.

    An uncaught exception also ends Python with code 1; it is told from the
    script's own 1 by its traceback, and says nothing about the fault.
    """
    kept = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    chosen = {"KERAS_BACKEND": backend} if backend else {}
    with scratch("verify") as folder:
        path = Path(folder, "repro.py")
        path.write_text(script, encoding="utf-8")
        if beside:
            path.with_suffix(".npz").write_bytes(beside)
        try:
            process = subprocess.Popen(
                [python, str(path), *arguments],
                cwd=folder,
                env={**INSTRUCTIONS, **kept, **environment, **chosen, **QUIET},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="backslashreplace",
                start_new_session=True,
            )
        except OSError as error:  # the target's interpreter is not there any more
            return Outcome(None, "", f"{python} does not start: {error.strerror}")
        with process:
            started(process)
            try:
                output, told = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return Outcome(None, "", f"it did not end within {seconds:g} seconds")
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
    return outcome(process.returncode, output, told)


def outcome(code: int, output: str, error: str) -> Outcome:
    """How a script ended, by its exit code and what it wrote.

    A library may log a traceback of something it recovered from: a script that
    came to its last line was not ended by it.
    """
    raised = code == 1 and "Traceback (most recent call last)" in error
    said = any(line.startswith(LAST_WORDS) for line in output.splitlines())
    return Outcome(None if raised and not said else code, output, error)


#: Runs a script as a target does: its text, the target's name, and what that is made of.
Run = Callable[[str, str, Platform], Outcome]


class Checked(msgspec.Struct, frozen=True):
    """A script that was run, and what it said where the fault is and where it is not.

    ``reason`` is empty if it does what a reproducer promises: 0 on every faulty target that
    it is about (``faulty`` is the first), 1 on a sound one. ``sound`` is None if every target
    that can run it has the fault. ``thorough``: the short script did not do.
    """

    script: str
    faulty: Outcome | None = None
    sound: Outcome | None = None
    reason: str = ""
    thorough: bool = False


def checked(finding: Finding, arrays: dict[str, Array], run: Run) -> Checked:
    """The first script of the finding that keeps its promise where ``run`` runs it.

    The short one is tried before the thorough one; if neither does, the reason
    is that of the short one.
    """
    first: Checked | None = None
    for thorough in (False, True):
        try:
            text = script(finding, arrays, thorough)
        except CannotReproduce as error:
            return first or Checked("", reason=f"no script: {error}")
        if first is not None and text == first.script:
            break
        result = _check(finding, arrays, text, thorough, run)
        if not result.reason:
            return msgspec.structs.replace(result, thorough=thorough)
        first = first or result
    assert first is not None
    return first


def _check(
    finding: Finding, arrays: dict[str, Array], text: str, thorough: bool, run: Run
) -> Checked:
    speaker = speaker_of(finding, sides_of(finding, arrays))
    sides = speaker.sides
    shown: list[Outcome] = []
    # Whoever is blamed must show it, not only the first.
    for target in sides.faulty:
        platform = platform_of(finding, target)
        shown.append(run(text, target, platform))
        if shown[-1].code != 0:
            return Checked(text, shown[0], reason=_unexpected(platform, 0, shown[-1]))
        # Elsewhere anything that is raised counts; here it must be what was seen here.
        if not as_recorded(finding, speaker, shown[-1].output):
            said = shown[-1].output.strip().splitlines()[-1][:200]
            return Checked(text, shown[0], reason=f"it shows something else: {said}")
    faulty = shown[0]
    if not sides.sound:
        return Checked(text, faulty)
    wrong = platform_of(finding, sides.faulty[0])
    usual = [name for name in sides.sound if not contrary(platform_of(finding, name), wrong)]
    denied: Checked | None = None
    for believed in cheapest_first(finding, usual or sides.sound):
        platform, there = platform_of(finding, believed), text
        if not usual:
            # It differs by its kernels, and a script chooses them itself.
            there = script(finding, arrays, thorough, kernels_of=believed)
        sound = run(there, believed, platform)
        if sound.code == 1:
            return Checked(text, faulty, sound)
        denied = denied or Checked(text, faulty, sound, _unexpected(platform, 1, sound))
    assert denied is not None  # somebody is sound
    return denied


def _unexpected(platform: Platform, wanted: int, outcome: Outcome) -> str:
    place = platform.backend or platform.identity
    said = (outcome.error if outcome.code is None else outcome.output).strip().splitlines()
    ended = "an exception" if outcome.code is None else f"exit code {outcome.code}"
    last = f": {said[-1][:200]}" if said else ""
    return f"expected exit code {wanted} on {place}; received {ended}{last}"
