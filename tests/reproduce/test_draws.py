"""Scripts for random draws: what holds for every draw is what they ask."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.ir import Array, Node
from assay.reproduce import script
from assay_worker import random_properties
from tests.reproduce.examples import case_of, finding_of

ONES = np.ones((90, 2), "float32")
LOGITS = np.tile(np.float32([-1000, 0, 0, 0, 0]), (90, 1))
#: A usual call of each op: parameters, and the tensors it reads.
CALLS: dict[str, tuple[dict[str, Any], tuple[Array, ...]]] = {
    "normal": ({"shape": [30], "mean": 2.0, "stddev": 0.5}, ()),
    "truncated_normal": ({"shape": [30], "dtype": "float16"}, ()),
    "uniform": ({"shape": [30], "maxval": 2.0}, ()),
    "randint": ({"shape": [30], "minval": -1, "maxval": 4}, ()),
    "gamma": ({"shape": [30], "alpha": 1.5}, ()),
    "beta": ({"shape": [30], "alpha": 1.5, "beta": 2.0}, ()),
    "binomial": ({"shape": [30], "counts": 9.0, "probabilities": 0.5}, ()),
    "categorical": ({"num_samples": 30}, (LOGITS,)),
    "dropout": ({"rate": 0.5, "noise_shape": [90, 1]}, (ONES,)),
    "shuffle": ({}, (np.arange(180, dtype="float32").reshape(90, 2),)),
}
CASES = [
    (f"keras.random.{op}", place)
    for op in CALLS
    for place in range(len(random_properties.names(f"keras.random.{op}")))
]


def text(op: str, place: int, **params: Any) -> str:
    """The script for an op whose draw on PyTorch lacks a property."""
    given, tensors = CALLS[op.removeprefix("keras.random.")]
    names = [f"x{number}" for number in range(len(tensors))]
    seeded = {"seed": 5} if random_properties.names(op)[place] == "repeats" else {}
    node = Node("n0", op, tuple(names), {**given, **seeded, **params})
    case = case_of(node, dict(zip(names, tensors, strict=True)))
    observed: dict[str, str | float] = {"keras-torch": 0.0, "keras-jax": 1.0, "reference": 1.0}
    evidence = {"where": "output:n0", "position": (place,), "tolerance": 0.0}
    return script(finding_of(case, "inconsistency", "keras-torch", observed, evidence=evidence), {})


def test_every_op_that_draws_is_here() -> None:
    drawing = {name.removeprefix("keras.random.") for name in random_properties.ops()}
    assert set(CALLS) == drawing


#: Runs scripts one after the other; "break" stands before those that get a broken library, whose
#: draws are all the same: neither from a distribution, nor permutations.
RUN = """
import keras, numpy, sys
for name in sys.argv[1:]:
    if name == "break":
        for op in {names}:
            setattr(keras.random, op, lambda *_, **__: numpy.full((90, 2), -1e9, "float64"))
        continue
    try:
        exec(compile(open(name).read(), name, "exec"), {{"__name__": "__main__"}})
    except SystemExit as end:
        print("ended", end.code)
"""
#: A constant draw repeats, holds whole numbers, is not the input, and drops all or nothing.
UNSEEN = {"repeats", "whole numbers", "moved", "noise_shape drops together", "maxval excluded"}


def test_scripts_tell_a_sound_library_from_a_broken_one(tmp_path: Path) -> None:
    seen = [case for case in CASES if random_properties.names(case[0])[case[1]] not in UNSEEN]
    # The broken draw has the shape that some ask for.
    for op in ("dropout", "shuffle"):
        seen.remove((f"keras.random.{op}", 0))
    sound = [text(*case) for case in CASES]
    certain = {"probabilities": 1.0}
    broken = [text(op, n, **(certain if op.endswith("binomial") else {})) for op, n in seen]
    order = []
    for name, scripts in (("sound", sound), ("broken", broken)):
        for number, each in enumerate(scripts):
            order.append(f"{name}-{number}.py")
            (tmp_path / order[-1]).write_text(each, encoding="utf-8")
    order.insert(len(sound), "break")
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(names=list(CALLS)), *order],
        cwd=tmp_path,
        env={**os.environ, "KERAS_BACKEND": "numpy"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ended = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("ended")]
    assert dict(zip(CASES, ended, strict=False)) == dict.fromkeys(CASES, 1)
    assert dict(zip(seen, ended[len(sound) :], strict=True)) == dict.fromkeys(seen, 0)


def test_a_generator_is_made_once() -> None:
    made = {"$op": "keras.random.SeedGenerator", "params": {"seed": 5}}
    shown = text("keras.random.normal", 3, seed=made)
    assert "generator = keras.random.SeedGenerator(seed=5)\n" in shown
    assert shown.count("seed=generator") == 2


@pytest.mark.parametrize(("op", "place"), [c for c in CASES if "categorical" not in c[0]])
def test_a_script_is_short(op: str, place: int) -> None:
    assert len(text(op, place).splitlines()) <= 25
