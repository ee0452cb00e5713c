"""A standalone script that shows a finding about a whole model.

It takes the path of the model as its argument, imports what runs it and NumPy, and ends
as every script of ours: 0 where the fault is, 1 where it is not, 2 where it cannot run.
"""

import io
import math
import os
import textwrap
from typing import Any

import msgspec
import numpy as np

from assay.ir import Array, Finding
from assay.ir.model import Place, model_of, output_place
from assay.libraries.kernels import CHOOSING
from assay.reproduce.literals import array_code, value_code, wrapped
from assay.reproduce.program import CannotReproduce
from assay.reproduce.runtimes import Runtime, runtime
from assay.reproduce.sides import Sides, expected, sides_of

#: So many numbers stand in the script; more lie beside it.
INLINE_ELEMENTS = 200
#: A deviation that is this part of the recorded one is the fault still.
_PART = 4
#: What two right answers may differ by, of the largest number in them.
_RELATIVE = 1e-3
_SECONDS = 900
_BESIDE = 'os.path.splitext(os.path.abspath(__file__))[0] + ".npz"'


class ModelScript(msgspec.Struct, frozen=True):
    """The text of a script, and the content of the .npz file of the same name beside it.

    That is empty where the arrays are few enough to stand in the text.
    """

    text: str
    beside: bytes = b""


def model_script(
    finding: Finding, arrays: dict[str, Array], target: str = "", portable: bool = False
) -> ModelScript:
    """The script of a finding about a model, for one of its targets: by default, one that is
    wrong. A ``portable`` one looks for the model where it is started, not where it lies here.
    Pure; ``CannotReproduce`` for what a script cannot ask.
    """
    model = model_of(finding.case)
    if model is None:
        raise CannotReproduce("it is about no model")
    if model.arms:
        raise CannotReproduce("it is about several files, and a script runs one model")
    sides = sides_of(finding, arrays)
    chosen = target or (sides.faulty[0] if sides.faulty else "")
    if chosen not in model.places:
        raise CannotReproduce("it is not recorded who shows it")
    place = model.places[chosen]
    path = os.path.basename(model.path) if portable else model.path
    means = runtime(model, place)
    values = {f"input_{n}": item for n, item in enumerate(finding.case.input_arrays().values())}
    if finding.kind == "crash":
        ending, beside = _crash(finding, means, values)
    else:
        right = expected(finding, arrays, sides)
        values["expected"] = right.array
        ending, beside = _numbers(finding, means, values, right.witnesses)
    if model.architecture:
        beside = {**beside, "architecture": np.array(model.architecture)}
    head = [
        *_comment(f"{_versions(finding, chosen)}: {model_title(finding, sides)}"),
        "# exit 0: bug present, 1: not present, 2: cannot run here",
        "import os",
        "import sys",
        "",
        *_environment(place),
        f"PATH = sys.argv[1] if len(sys.argv) > 1 else {value_code(path)}",
        "try:",
        *(f"    import {module}" for module in (*means.modules, "numpy as np")),
        "except (ImportError, ValueError) as error:",
        '    print("cannot run:", error)',
        "    raise SystemExit(2)",
        "if not os.path.exists(PATH):",
        '    print("cannot run: no file", PATH)',
        "    raise SystemExit(2)",
        *_prelude(
            os.path.basename(place.prelude) if portable else place.prelude, bool(model.custom)
        ),
        "",
    ]
    loading = [f"data = np.load({_BESIDE})"] if beside else []
    return ModelScript("\n".join([*head, *loading, *ending]) + "\n", _npz(beside))


def _npz(arrays: dict[str, Any]) -> bytes:
    if not arrays:
        return b""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def model_title(finding: Finding, sides: Sides) -> str:
    """The model, its layer, what is wrong, and where."""
    model = model_of(finding.case)
    assert model is not None  # callers look first
    layer = f", layer {finding.node} ({finding.op})" if finding.node else ""
    where = f" on {' and '.join(sides.faulty)}"
    if finding.kind == "crash":
        return f"{model.title} kills the process ({finding.evidence.message}){where}"
    by_target = {item.target: item.value for item in finding.evidence.observations}
    wrong, right = (
        next((f"{by_target[name]:.6g}" for name in names if by_target.get(name) is not None), "")
        for names in (sides.faulty, sides.sound)
    )
    gives = f"gives {wrong} instead of {right}" if wrong and right else "gives another result"
    if not finding.blamed and wrong and right:
        gives = f"gives {wrong} where others give {right}"
    return f"{model.title}{layer} {gives}{where}"


def _versions(finding: Finding, target: str) -> str:
    known = finding.versions.get(target, {})
    return ", ".join(f"{name} {version}" for name, version in known.items() if name != "python")


def _environment(place: Place) -> list[str]:
    set_first = dict(place.env)
    if place.backend:
        set_first["KERAS_BACKEND"] = place.backend
    lines = [
        f"os.environ[{value_code(name)}] = {value_code(value)}  # else the CPU decides"
        if name in CHOOSING
        else f"os.environ.setdefault({value_code(name)}, {value_code(value)})"
        for name, value in set_first.items()
    ]
    return [*lines, ""] if lines else []


def _prelude(path: str, defines: bool) -> list[str]:
    """``defines``: names of it are used when the model is loaded."""
    if not path:
        return []
    if defines:
        return ["", "import runpy", "", f"prelude = runpy.run_path({value_code(path)})"]
    return [
        "",
        "import runpy",
        "",
        f"runpy.run_path({value_code(path)})  # what the target changes before use",
    ]


def _given(values: dict[str, Array]) -> tuple[list[str], dict[str, Array]]:
    """Lines that make the arrays, and those that lie beside the script instead."""
    names = ", ".join(name for name in values if name.startswith("input_"))
    small = sum(array.size for array in values.values()) <= INLINE_ELEMENTS
    if small:
        lines = [wrapped(f"{name} = {array_code(array)}") for name, array in values.items()]
    else:
        lines = [f'{name} = data["{name}"]' for name in values]
    return [*lines, f"inputs = [{names}]"], {} if small else dict(values)


def _numbers(
    finding: Finding, means: Runtime, values: dict[str, Array], witnesses: tuple[str, ...]
) -> tuple[list[str], dict[str, Array]]:
    """Compare with the right answer, as those who are believed gave it."""
    lines, beside = _given(values)
    position = ", ".join(map(str, finding.evidence.position))
    at = f"[{position}]" if position else ""
    place = output_place(finding.evidence.where)
    right = values["expected"]
    close = f"np.allclose(actual, expected, rtol=0, atol={_allowed(finding, right):.2g}"
    if right.dtype.kind not in "fc":
        close = "np.array_equal(actual, expected"
    else:
        close += ", equal_nan=True"
    return [
        f"# expected: what {', '.join(witnesses)} gives",
        *lines,
        "",
        *means.lines,
        f"actual = np.asarray(outputs[{place}])",
        "if actual.shape != expected.shape:",
        '    print("expected shape", expected.shape, "actual shape", actual.shape)',
        "    raise SystemExit(0)",
        f'print("expected", expected{at}, "actual", actual{at})',
        f"raise SystemExit(1 if {close}) else 0)",
    ], beside


def _allowed(finding: Finding, right: Array) -> float:
    """What the answer may differ by and not be the fault any more."""
    tolerance, magnitude = finding.evidence.tolerance or 0.0, finding.magnitude
    if magnitude and math.isfinite(magnitude):
        part = magnitude / _PART
        return part if tolerance >= magnitude else max(tolerance, part)
    sizes = np.abs(right[np.isfinite(right)]) if right.dtype.kind in "fc" else right
    return _RELATIVE * (float(sizes.max(initial=0.0)) or 1.0)


def _crash(
    finding: Finding, means: Runtime, values: dict[str, Array]
) -> tuple[list[str], dict[str, Array]]:
    """Run the model in a process of its own, and look how that ends."""
    cause = finding.evidence.message
    if cause in ("memory", "protocol"):
        raise CannotReproduce("how much memory a process may have is not part of a script")
    lines, beside = _given(values)
    died = "code is None" if cause == "timeout" else "code is not None and code < 0"
    if cause.startswith("exit "):
        died = f"code == {cause.removeprefix('exit ')}"
    return [
        'if sys.argv[2:] == ["child"]:',
        *textwrap.indent("\n".join([*lines, *means.lines]), "    ").split("\n"),
        "    raise SystemExit(0)",
        "",
        "import subprocess",
        "",
        "try:",
        '    command = [sys.executable, os.path.abspath(__file__), PATH, "child"]',
        f"    code = subprocess.run(command, timeout={_SECONDS}).returncode",
        "except subprocess.TimeoutExpired:",
        "    code = None",
        'print("expected the process to end by itself; exit code", code)',
        f"raise SystemExit(0 if {died} else 1)",
    ], beside


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent="# ", subsequent_indent="#   ")
