"""Scripts for what raises, what should raise, and what kills the process."""

import re

from assay.ir import Finding
from assay.reproduce.asking import Asking, inside
from assay.reproduce.program import CannotReproduce
from assay.reproduce.rewritten import programs
from assay.reproduce.sides import WORKS, Sides
from assay.reproduce.speaking import Speaker
from assay.reproduce.title import exception_name, raised
from assay.reproduce.ways import asked

#: Words with these change from case to case, or with what a script calls its tensors.
_CHANGING = re.compile(r"""\S*[\d_'"`\[\](){}<>/\\]\S*""")
#: Of a message so much is looked for: less says nothing, and more is hard to read.
_SHORTEST, _LONGEST = 12, 60
#: What a script prints right before the call that it is about: a death before says nothing.
CALLING = "calling"


def error(asking: Asking) -> list[str]:
    """Present if the call raises: what, may depend on the machine.

    Whoever makes the script looks whether it is what was recorded; see ``as_recorded``.
    """
    if not raised(asking.finding, asking.sides):
        raise CannotReproduce("it is not recorded what was raised")
    return _attempted(asking, "no exception", if_raised(asking), asking.absent)


def if_raised(asking: Asking) -> list[str]:
    """Lines that end a script after an exception: 2, if this version does not know the call."""
    evidence = asking.finding.evidence
    told = (evidence.message, *(item.summary for item in evidence.observations))
    signs = {
        "Error: module ": 'str(error).startswith("module ")',
        "unexpected keyword": '"unexpected keyword" in str(error)',
    }
    # Unless that is the fault.
    unknown = [code for sign, code in signs.items() if not any(sign in text for text in told)]
    if not unknown:
        return ["raise SystemExit(0)"]
    return [f"unknown = {' or '.join(unknown)}", "raise SystemExit(2 if unknown else 0)"]


def as_recorded(finding: Finding, speaker: Speaker, output: str) -> bool:
    """Does a script that shows its fault print the exception that was recorded, or a signal?

    Of native libraries with the same words: most of what they raise is a RuntimeError,
    wherever they fail.
    """
    if finding.kind == "crash" and _death(finding).startswith("SIG"):
        return "actual -" in output
    if finding.kind not in ("error", "equivalence"):
        return True
    if finding.kind == "equivalence":
        name = exception_name(finding.evidence.message.removeprefix(f"{finding.rule}: "))
        return not name or f"actual {name}:" in output
    names = raised(finding, speaker.sides)
    words = "" if speaker.chooses_backend else _words(finding, speaker.sides)
    return any(f"actual {name}:" in output for name in names) and words in output


def _words(finding: Finding, sides: Sides) -> str:
    """The longest run of words that every faulty target's message has; "" if there is none."""
    observed = finding.evidence.observations
    told = [item.summary for item in observed if item.target in sides.faulty]
    messages = [text.partition(": ")[2] for text in told]
    runs = sorted((run.strip() for run in _CHANGING.split(messages[0])), key=len, reverse=True)
    if len(runs[0]) < _SHORTEST or not all(runs[0] in text for text in messages):
        return ""
    return runs[0] if len(runs[0]) <= _LONGEST else runs[0][:_LONGEST].rpartition(" ")[0]


def validation(asking: Asking) -> list[str]:
    """Present if nothing is raised."""
    return _attempted(asking, "an exception", [f"raise SystemExit({asking.absent})"], "0")


def _attempted(asking: Asking, wanted: str, ending: list[str], if_not: str) -> list[str]:
    prepared, (*before, last) = asked(asking)
    return [
        *prepared,
        "try:",
        *inside(*before, f"result = {last}"),
        "except Exception as error:",
        f'    print(f"expected {wanted}, actual {{type(error).__name__}}: {{error}}")',
        *inside(*ending),
        f'print("expected {wanted}, actual result", result)',
        f"raise SystemExit({if_not})",
    ]


_PIPE = ["    pipe = subprocess.PIPE"]
#: Seconds after which a call that works would have returned long ago, the import included.
_PATIENCE = 60


def crash(asking: Asking) -> list[str]:
    """Present if a child of the script dies of the call, or never returns from it.

    An exception counts where nobody else raises any; see ``as_recorded``.
    """
    cause = _death(asking.finding)
    if cause == "timeout":
        return _hang(asking)
    if not cause.startswith(("SIG", "exit ")):
        raise CannotReproduce(f"the process ended by {cause}, which depends on the machine")
    prepared, (*before, last) = _asked(asking)
    captured, pipe = "capture_output=True, text=True", []
    if asking.python < (3, 7):
        captured, pipe = "stdout=pipe, stderr=pipe, universal_newlines=True", _PIPE
    alive, ended, died = [], [], "code < 0"
    unknown = f'"{CALLING}" not in child.stdout'
    if _others_work(asking):  # elsewhere it may raise instead
        died = "code"
        unknown += ' or "Error: module" in child.stderr'
    if cause.startswith("exit "):  # as a process may end that survives, or raises
        ended = ['print("survived")']
        alive = ['    alive = "survived" in child.stdout or "Traceback" in child.stderr']
        died = f"code == {int(cause[5:])} and not alive"
    return [
        'if sys.argv[1:] != ["child"]:  # the call kills its process',
        '    command = [sys.executable, __file__, "child"]',
        *pipe,
        f"    child = subprocess.run(command, {captured})",
        "    code = child.returncode",
        '    print("expected exit code 0, actual", code, child.stderr[-200:])',
        f"    if {unknown}:",
        "        raise SystemExit(2)",
        *alive,
        f"    raise SystemExit(0 if {died} else {asking.absent})",
        "",
        *prepared,
        f'print("{CALLING}", flush=True)',
        *before,
        f"print({last})",
        *ended,
    ]


def _others_work(asking: Asking) -> bool:
    """Does every sound target give an answer, so that an exception is a fault, too?"""
    observed = asking.finding.evidence.observations
    sound = [item.summary for item in observed if item.target in asking.sides.sound]
    return bool(sound) and all(summary == WORKS for summary in sound)


def _death(finding: Finding) -> str:
    """The signal, or how else the process ended; of a program by a rule, too."""
    return finding.evidence.message.removeprefix(f"{finding.rule}: ")


def _asked(asking: Asking) -> tuple[list[str], list[str]]:
    if not asking.finding.rule:
        return asked(asking)
    head, _, second = programs(asking)
    return head, [second]


def _hang(asking: Asking) -> list[str]:
    prepared, (*before, last) = _asked(asking)
    captured = "capture_output=True, "
    if asking.python < (3, 7):
        captured = ""
    return [
        'if sys.argv[1:] != ["child"]:  # the call does not return',
        '    command = [sys.executable, __file__, "child"]',
        "    try:",
        f"        child = subprocess.run(command, {captured}timeout={_PATIENCE})",
        "    except subprocess.TimeoutExpired:",
        f'        print("expected an answer, actual none within {_PATIENCE} seconds")',
        "        raise SystemExit(0)",
        '    print("expected an answer, actual exit code", child.returncode)',
        f"    raise SystemExit(2 if child.returncode == 2 else {asking.absent})",
        "",
        *prepared,
        *before,
        f"print({last})",
    ]
