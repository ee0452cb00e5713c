"""The examples of one library, tried in this process: a line of JSON for each that says what
happened. Started by the tests as ``python -m tests.worker.rules.at_work LIBRARY [RULE …]``.
"""

import functools
import importlib
import json
import sys
from typing import Any

import numpy as np

from assay_worker import libraries
from assay_worker.libraries._base import BY_RULE
from tests.worker.rules.examples import Call, Example

#: Library of the rules -> what an adapter is loaded by.
ADAPTERS = {
    "torch": ("torch", "torch"),
    "tensorflow": ("tensorflow", "tensorflow"),
    "jax": ("jax", "jax"),
    "keras": ("keras", "jax"),
    "keras-torch": ("keras", "torch"),
}
EXPECTED = "expected:"


def told(adapter: Any, rule: str, call: Call) -> str:
    """``agree``, ``differ: …``, ``absent: …`` or ``error: …``."""
    variant = BY_RULE + rule
    (result,) = adapter.execute(call.case(), variants=(variant,))
    if result["status"] != "ok":
        return f"error: the call itself: {result['failure']['message']}"
    second = result["variants"][variant]
    if second["status"] != "ok":
        return f"{second['status']}: {second['failure']['message']}"
    arrays = second["arrays"]
    expected = {k.removeprefix(EXPECTED): v for k, v in arrays.items() if k.startswith(EXPECTED)}
    first = expected or result["arrays"]
    after = {k: v for k, v in arrays.items() if not k.startswith(EXPECTED)}
    after.update({name: result["arrays"][name] for name in second["same"]})
    if set(first) != set(after):
        return f"differ: {sorted(first)} and {sorted(after)}"
    for name, before in first.items():
        other = after[name]
        if before.shape != other.shape or before.dtype.kind != other.dtype.kind:
            return f"differ: {before.shape} {before.dtype}, {other.shape} {other.dtype}"
        if before.dtype.kind not in "biufc":
            if not np.array_equal(before, other):
                return f"differ: {before} {other}"
        elif not np.allclose(before, other, rtol=1e-4, atol=1e-5, equal_nan=True):
            return f"differ: {before.ravel()[:4]} {other.ravel()[:4]}"
    return "agree"


def wrong(adapter: Any, example: Example) -> str:
    """What the rule tells while the API is wrong."""
    path, _, own = example.at.rpartition(".")
    holder = adapter.resolve(path) if "." in path else importlib.import_module(adapter.module)
    value = getattr(holder, own)
    if isinstance(value, type):
        holder, own = value, "forward" if hasattr(value, "forward") else "call"
        value = getattr(holder, own)
    faulty = example.fault(value)
    functools.update_wrapper(faulty, value)
    setattr(holder, own, faulty)
    try:
        return told(adapter, example.rule, example.inside)
    finally:
        setattr(holder, own, value)


def main(library: str, rules: list[str]) -> None:
    """Every example of a library."""
    adapter = libraries.load(*ADAPTERS[library], "eager")
    own, _, backend = library.partition("-")
    module = importlib.import_module(f"tests.worker.rules.of_{own}")
    examples = module.EXAMPLES + (module.ELSEWHERE if backend else ())
    for index, example in enumerate(examples):
        if rules and example.rule not in rules:
            continue
        row = {"index": index, "rule": example.rule, "api": example.inside.api}
        row["clean"] = told(adapter, example.rule, example.inside)
        row["faulty"] = wrong(adapter, example)
        row["outside"] = told(adapter, example.rule, example.outside)
        print("ROW " + json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
