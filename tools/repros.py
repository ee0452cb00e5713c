"""Run the few lines that show a cause on every backend of Keras, and on NumPy itself.

A repro is some lines of Python whose last one is an expression; what that gives is written into
one line. Each runs in a fork of an interpreter that has imported Keras and nothing else.
"""

import ast
import os
import re
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np

from assay.campaign.triage.interpreters import SECONDS, Interpreters
from assay.campaign.triage.reproducer import Outcome, verify
from assay.ir import Platform

BACKENDS = ("tensorflow", "jax", "torch", "numpy", "openvino")
#: Those that have gradients.
DIFFERENTIATING = BACKENDS[:3]
NUMPY = "NumPy"
#: What scripts set, too: oneDNN has kernels of its own, which TensorFlow turns on by the CPU.
ENVIRONMENT = {"TF_ENABLE_ONEDNN_OPTS": "0", "JAX_PLATFORMS": "cpu"}
#: Where NumPy has a function that Keras has in ``keras.ops``.
_PLACES = {"np": np, "np.linalg": np.linalg}
_OP = re.compile(r"keras\.ops\.(?!image\b)(\w+)")
_GREETINGS = re.compile(r"\x1b\[\d+m|\{\{.*?\}\}\s*|\[Op:\w+\](?: name:)?")
_LONGEST = 160
#: How a line begins about a call that gave nothing.
DEATHS = ("does not return", "kills the process")
_MARK = "gives: "
_SHOWING = """
import sys, warnings
sys.path.insert(0, {folder!r})
warnings.simplefilter("ignore")
import numpy as np
np.set_printoptions(precision=6, suppress=False, threshold=24, linewidth=10000)
def _told(item):
    if item is None or type(item) in (bool, int, float, str):
        return repr(item)
    if isinstance(item, (tuple, list)) or type(item).__name__ in ("Size", "TensorShape"):
        inner = ", ".join(_told(part) for part in item)
        if type(item) is list:
            return "[" + inner + "]"
        return "(" + inner + ("," if len(item) == 1 else "") + ")"
    if type(item).__module__.partition(".")[0] != "numpy":
        if "keras" in sys.modules:
            item = sys.modules["keras"].ops.convert_to_numpy(item)
        else:
            item = item.numpy() if hasattr(item, "numpy") else np.array(item)
    item = np.asarray(item)
    if item.size == 0:
        return "empty, shape " + str(item.shape)
    return " ".join(np.array2string(item, separator=", ").split())
"""


def whole(repro: str) -> str:
    """A repro with its imports, after the line that sets the environment that it needs, if any."""
    first, _, rest = repro.lstrip().partition("\n")
    if first.startswith("import os; os.environ["):
        return f"{first}\n{imports(rest)}{rest}"
    return imports(repro) + repro


def imports(repro: str) -> str:
    """The lines that stand before a repro, by what it uses."""
    lines = []
    if re.search(r"\bkeras\b", repro):
        lines.append("import keras")
    if re.search(r"\bnp\b", repro):
        lines.append("import numpy as np")
    if differentiates(repro):
        lines.append("from grad import grad  # scripts/grad.py")
    return "".join(f"{line}\n" for line in lines)


def differentiates(repro: str) -> bool:
    """Does it use the function of scripts/grad.py?"""
    return bool(re.search(r"(?<![\w.])grad\(", repro))


def in_numpy(repro: str) -> str:
    """The same in NumPy's words; "" where it has no such function."""
    if differentiates(repro):
        return ""
    for name in set(_OP.findall(repro)):
        module = next((place for place, there in _PLACES.items() if hasattr(there, name)), "")
        if name == "convert_to_tensor":
            module, name, new = "np", name, "asarray"
        else:
            new = name
        if not module:
            return ""
        repro = re.sub(rf"keras\.ops\.{name}\b", f"{module}.{new}", repro)
    return "" if "keras" in repro else repro


def results(repros: Mapping[str, Mapping[str, str]], folder: Path) -> dict[str, dict[str, str]]:
    """What each repro gives, by its name and by backend.

    ``repros`` has for each name the lines by backend (or ``NUMPY``), ``folder`` the modules
    beside the scripts.
    """
    os.environ.update(ENVIRONMENT)
    forks = Interpreters()

    def all_of(backend: str) -> Iterator[tuple[str, str, str]]:
        platform = Platform("keras", "numpy" if backend == NUMPY else backend)
        for name, by_backend in repros.items():
            if backend in by_backend:
                script = showing(by_backend[backend], folder)
                outcome = forks.verify(script, platform.identity, platform)
                yield name, backend, said(outcome)

    found: dict[str, dict[str, str]] = {name: {} for name in repros}
    with closing(forks), ThreadPoolExecutor(2) as pool:
        for answers in pool.map(lambda backend: list(all_of(backend)), (*BACKENDS, NUMPY)):
            for name, backend, text in answers:
                found[name][backend] = text
    return found


def result_of(repro: str, python: str, folder: Path) -> str:
    """What a repro gives that is in the words of another library than Keras."""
    ending = f"import signal; signal.alarm({SECONDS})\n"  # as forks of Keras have it
    return said(verify(ending + showing(repro, folder), python=python))


def showing(repro: str, folder: Path) -> str:
    """A script that prints what the last expression gives, or what was raised."""
    text = whole(repro)
    tree = ast.parse(text)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        raise ValueError(f"expected an expression in the last line, received: {repro!r}")
    lines = text.rstrip().splitlines()
    before = "\n".join(f"    {line}" for line in lines[: last.lineno - 1]) or "    pass"
    return (
        _SHOWING.format(folder=str(folder.resolve()))
        + f"try:\n{before}\n    _text = _told({ast.unparse(last.value)})\n"
        + "except Exception as _error:\n"
        + "    _text = 'raises ' + type(_error).__name__ + ': ' + str(_error)\n"
        + f"print({_MARK!r} + ' '.join(_text.split()))\n"
    )


def said(outcome: Outcome) -> str:
    """One line on how a repro ended."""
    lines = [line for line in outcome.output.splitlines() if line.startswith(_MARK)]
    if lines:
        text = lines[-1].removeprefix(_MARK)
        text = re.sub(
            r"(raises \w+: )Exception encountered when calling [\w.]+\(\)\. ", r"\1", text
        )
        text = " ".join(_GREETINGS.sub("", text).split()).partition(" Arguments received by ")[0]
        text = re.sub(r"(?<![\w.])(?:/[\w.+@-]+)+/(?=[\w.-]+)", "…/", text)
        return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
    if outcome.code is not None and outcome.code < 0:
        if outcome.code == -signal.SIGALRM:
            return DEATHS[0]
        return f"{DEATHS[1]} ({signal.Signals(-outcome.code).name})"
    raise ValueError(f"expected a result, received: {outcome}")
