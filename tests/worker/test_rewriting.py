"""Both programs of a rule on many draws, and where they go, asked of real libraries."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
_ASKED = """
import json, sys
import numpy as np
from assay_worker import libraries
from assay_worker.rewriting import inside, sweep
from tests.worker.rules.at_work import ADAPTERS
from tests.worker.rules.examples import Call, T, numbers
library = sys.argv[1]
adapter = libraries.load(*ADAPTERS[library], "eager")
X = numbers(3, 4)

def goes(call, rule):
    told = inside(adapter, call.case(), rule)
    names = [[item["function"] for item in told[side]] for side in ("calls", "others")]
    return dict(calls=names[0], others=names[1], frames=[f["file"] for f in told["frames"]])

def drawn(call, rule):
    case = call.case()
    for name in case["inputs"]:
        case["inputs"][name] = {"kind": "uniform", "seed": 3, "low": -1.0, "high": 1.0}
    found = sweep(adapter, case, 5, rule)
    return [found["draws"], found["draw"]]

def sense(x):
    return x + 1 if float(x.sum()) > 0 else x  # a trace keeps what it decided

ONE = {"0": T("x")}
if library == "torch":
    import torch
    torch.sense = sense
    told = {
        "function": goes(Call("torch.nn.functional.gelu", ONE, x=X), "strided"),
        "module": goes(Call("torch.nn.GELU", ONE, x=X), "strided"),
        "raising": goes(Call("torch.linalg.inv", ONE, x=np.zeros((2, 2), "float32")), "jit"),
        "list": drawn(Call("torch.cat", {"0": [T("x"), T("y")]}, x=X, y=X), "jit"),
        "deciding": drawn(Call("torch.sense", ONE, x=X), "jit"),
    }
else:
    told = {"function": goes(Call("tf.math.tanh", ONE, x=X), "jit")}
print("TOLD " + json.dumps(told))
"""


@functools.cache
def told(library: str) -> dict[str, Any]:
    """What a process of the library says."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", _ASKED, library],
        env={**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("TOLD "))
    found: dict[str, Any] = json.loads(line[5:])
    return found


def test_a_function_and_a_module_rest_on_one_operator() -> None:
    assert told("torch")["function"]["calls"] == ["aten::gelu"]
    assert told("torch")["module"]["calls"] == ["aten::gelu"]
    assert told("torch")["function"]["others"] == ["aten::gelu"]


def test_operators_of_tensorflow_are_seen_too() -> None:
    assert told("tensorflow")["function"]["calls"] == ["tf.raw_ops.Tanh"]


def test_what_raises_has_no_operators() -> None:
    assert told("torch")["raising"]["calls"] == []


@pytest.mark.parametrize("kind", ["list", "deciding"])
def test_a_program_that_was_made_for_other_numbers_is_made_anew(kind: str) -> None:
    """Tensors in lists are no constants of a trace, and what a trace decided is no finding."""
    assert told("torch")[kind] == [5, 0]
