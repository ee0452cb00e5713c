"""A standalone script that shows one finding, as a maintainer would write it by hand.

It imports the library, numpy and the standard library (and of Keras the backend itself, to
differentiate), and ends with 0 where the fault is, 1 where it is not, 2 where it cannot run.
"""

import textwrap
from collections.abc import Callable

from assay.ir import Array, Finding, platform_of
from assay.ir.model import model_of
from assay.ir.suite import suite_case_of
from assay.reproduce.asking import Asking
from assay.reproduce.draws import draws, is_draw
from assay.reproduce.failures import crash, error, validation
from assay.reproduce.kernels import kernel_lines, needed_flags, needing
from assay.reproduce.literals import value_code, wrapped
from assay.reproduce.model import model_script
from assay.reproduce.numbers import inconsistency, nondeterminism
from assay.reproduce.program import CannotReproduce
from assay.reproduce.rewritten import rewritten
from assay.reproduce.round_trip import round_trip
from assay.reproduce.sides import Sides, sides_of
from assay.reproduce.speaking import Speaker, speaker_of
from assay.reproduce.suite import suite_script
from assay.reproduce.title import responsibility, title, undecided, versions

_BODIES: dict[str, Callable[[Asking], list[str]]] = {
    "crash": crash,
    "error": error,
    "validation": validation,
    "inconsistency": inconsistency,
    "nan": inconsistency,
    "precision": inconsistency,
    "nondeterminism": nondeterminism,
    "equivalence": round_trip,
}


def script(
    finding: Finding, arrays: dict[str, Array], thorough: bool | None = None, kernels_of: str = ""
) -> str:
    """The script's text. Pure: the same finding and arrays give the same text.

    It chooses the kernels of the faulty targets, or those of the target ``kernels_of``.

    ``arrays`` are those stored with the finding. A ``thorough`` script asks for
    everything that the worker was asked (gradients, upstream gradients, weights),
    where a shorter one usually shows the fault as well; by default, the one that did
    when it was run last. Nothing is run here: only running the script tells whether
    it shows the fault. Raises
    ``CannotReproduce`` for what a script cannot ask.
    """
    if suite_case_of(finding.case) is not None:
        return suite_script(finding)
    if model_of(finding.case) is not None:
        return model_script(finding, arrays, portable=True).text
    if finding.kind not in _BODIES:
        raise CannotReproduce(f"findings of kind {finding.kind} have none yet")
    if thorough is None:
        thorough = finding.script is not None and finding.script.thorough
    sides = sides_of(finding, arrays)
    speaker = speaker_of(finding, sides)
    known = versions(finding, speaker.sides.faulty[0])
    heading = f"{known}: {title(finding, sides)}" if known else title(finding, sides)
    child = ("subprocess", "sys")
    modules = {"crash": child, "nondeterminism": child, "save": ("tempfile",)}
    kernels = kernel_lines(finding, (kernels_of,) if kernels_of else speaker.sides.faulty)
    flags = needed_flags(finding, speaker)
    chosen = ("os",) if speaker.chooses_backend or kernels or flags else ()
    needed = (*chosen, *modules.get(finding.kind, ()), *modules.get(finding.round_trip, ()))
    body = _BODIES[finding.kind]
    if body is inconsistency and is_draw(finding.op):
        body = draws
    elif finding.rule and body is round_trip:
        body = rewritten
    about = Sides(speaker.sides.faulty, sides.sound)
    absent = "absent" if flags else "1"
    said = body(Asking(finding, arrays, about, speaker, thorough, absent))
    lines = [
        *_comment(heading),
        *_comment(responsibility(finding)),
        *_comment(undecided(finding)),
        "# exit 0: bug present, 1: not present, 2: cannot run here",
        *(f"import {module}" for module in needed),
        *([""] if needed else []),
        *_variables(finding, speaker),
        *kernels,
        *_imports(speaker, said),
        *needing(flags),
        "",
        *said,
    ]
    return "\n".join(lines) + "\n"


def _imports(speaker: Speaker, body: list[str]) -> list[str]:
    text = "\n".join(body)
    first, *others = speaker.dialect.imports
    used = [module for module in others if f"{module.rpartition(' ')[2]}." in text]
    modules = sorted([first, *used, "numpy as np"])
    # Keras raises ValueError for a backend that it does not know.
    errors = "(ImportError, ValueError)" if speaker.chooses_backend else "ImportError"
    return [
        "try:",
        *(f"    import {module}" for module in modules),
        f"except {errors} as error:",
        '    print("cannot run:", error)',
        "    raise SystemExit(2)",
        *_only_before(first, speaker.dialect.until),
    ]


def _variables(finding: Finding, speaker: Speaker) -> list[str]:
    """The backend, and what the backends that it is about need; what is set stays."""
    dialect, sides = speaker.dialect, speaker.sides
    if not dialect.chosen:
        return []
    backends = [platform_of(finding, name).backend for name in (*sides.faulty, *sides.sound)]
    said = {dialect.chosen: backends[0]}
    for backend in backends:
        said |= dialect.variables.get(backend, {})
    return [
        wrapped(f"os.environ.setdefault({value_code(name)}, {value_code(value)})")
        for name, value in said.items()
    ]


def _only_before(module: str, version: str) -> list[str]:
    if not version:
        return []
    first = tuple(map(int, version.split(".")))
    return [
        f'if tuple(map(int, {module}.__version__.split(".")[:{len(first)}])) >= {first}:',
        f'    print("cannot run: for {module} before {version}, received", {module}.__version__)',
        "    raise SystemExit(2)",
    ]


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent="# ", subsequent_indent="#   ")
