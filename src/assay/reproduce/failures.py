"""Scripts for what raises, what should raise, and what kills the process."""

import re

from assay.reproduce.asking import Asking, inside
from assay.reproduce.literals import value_code
from assay.reproduce.program import CannotReproduce
from assay.reproduce.title import raised
from assay.reproduce.ways import asked

#: Words with these change from case to case, or with what a script calls its tensors.
_CHANGING = re.compile(r"""\S*[\d_'"`\[\](){}<>/\\]\S*""")
#: Of a message so much is looked for: less says nothing, and more is hard to read.
_SHORTEST, _LONGEST = 12, 60


def error(asking: Asking) -> list[str]:
    """Present if the same exception is raised: of native libraries, with the same words.

    Most of what they raise is a RuntimeError, wherever they fail.
    """
    names = sorted(raised(asking.finding, asking.sides))
    if not names:
        raise CannotReproduce("it is not recorded what was raised")
    kind = "type(error).__name__"
    same = f'{kind} == "{names[0]}"' if len(names) == 1 else f"{kind} in {tuple(names)}"
    words = "" if asking.speaker.chooses_backend else _words(asking)
    if not words:
        return _attempted(asking, "no exception", f"0 if {same} else 1", "1")
    compared = f"says_so = {value_code(words)} in str(error)"
    return _attempted(asking, "no exception", f"0 if {same} and says_so else 1", "1", compared)


def _words(asking: Asking) -> str:
    """The longest run of words that every faulty target's message has; "" if there is none."""
    observed = asking.finding.evidence.observations
    told = [item.summary for item in observed if item.target in asking.sides.faulty]
    messages = [text.partition(": ")[2] for text in told]
    runs = sorted((run.strip() for run in _CHANGING.split(messages[0])), key=len, reverse=True)
    if len(runs[0]) < _SHORTEST or not all(runs[0] in text for text in messages):
        return ""
    return runs[0] if len(runs[0]) <= _LONGEST else runs[0][:_LONGEST].rpartition(" ")[0]


def validation(asking: Asking) -> list[str]:
    """Present if nothing is raised."""
    return _attempted(asking, "an exception", "1", "0")


def _attempted(
    asking: Asking, wanted: str, if_raised: str, if_not: str, *compared: str
) -> list[str]:
    prepared, (*before, last) = asked(asking)
    return [
        *prepared,
        "try:",
        *inside(*before, f"result = {last}"),
        "except Exception as error:",
        f'    print(f"expected {wanted}, actual {{type(error).__name__}}: {{error}}")',
        *inside(*compared, f"raise SystemExit({if_raised})"),
        f'print("expected {wanted}, actual result", result)',
        f"raise SystemExit({if_not})",
    ]


#: Seconds after which a call that works would have returned long ago, the import included.
_PATIENCE = 60


def crash(asking: Asking) -> list[str]:
    """Present if a child of the script dies of the call, or never returns from it."""
    cause = asking.finding.evidence.message
    if cause == "timeout":
        return _hang(asking)
    if not cause.startswith(("SIG", "exit ")):
        raise CannotReproduce(f"the process ended by {cause}, which depends on the machine")
    prepared, (*before, last) = asked(asking)
    captured = "capture_output=True, text=True"
    if asking.python < (3, 7):
        captured = "stderr=subprocess.PIPE, universal_newlines=True"
    alive, ended, answer = [], [], "2 if code == 2 else 0 if code < 0 else 1"
    if cause.startswith("exit "):  # as a process may end that survives, or raises
        if asking.python < (3, 7):
            captured = f"stdout=subprocess.PIPE, {captured}"
        ended = ['print("survived")']
        alive = ['    alive = "survived" in child.stdout or "Traceback" in child.stderr']
        answer = f"0 if code == {int(cause[5:])} and not alive else 1"
    return [
        'if sys.argv[1:] != ["child"]:  # the call kills its process',
        '    command = [sys.executable, __file__, "child"]',
        f"    child = subprocess.run(command, {captured})",
        "    code = child.returncode",
        '    print("expected exit code 0, actual", code, child.stderr[-200:])',
        *alive,
        f"    raise SystemExit({answer})",
        "",
        *prepared,
        *before,
        f"print({last})",
        *ended,
    ]


def _hang(asking: Asking) -> list[str]:
    prepared, (*before, last) = asked(asking)
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
        "    raise SystemExit(2 if child.returncode == 2 else 1)",
        "",
        *prepared,
        *before,
        f"print({last})",
    ]
