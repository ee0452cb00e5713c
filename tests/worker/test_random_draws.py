"""Draws of a real Keras, through the adapter, right ones and broken ones."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.reference.cases import case

ROOT = Path(__file__).parents[2]
GENERATOR = {"$op": "keras.random.SeedGenerator", "params": {"seed": 5}}
SHAPE = [2, 3, 5]
CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "normal": ([], {"shape": SHAPE, "mean": 3.0, "stddev": 0.5}),
    "truncated_normal": ([], {"shape": SHAPE}),
    "uniform": ([], {"shape": SHAPE, "dtype": "bfloat16"}),
    "randint": ([], {"shape": SHAPE, "minval": 0, "maxval": 256, "dtype": "uint8"}),
    "gamma": ([], {"shape": SHAPE, "alpha": 0.5, "dtype": "float16"}),
    "beta": ([], {"shape": SHAPE, "alpha": 0.5, "beta": 2.0}),
    "binomial": ([], {"shape": SHAPE, "counts": 9, "probabilities": [0.0, 0.5, 1.0, 0.2, 0.9]}),
    "categorical": ((3, 4), {"num_samples": 5}),
    "dropout": ((9, 9, 4), {"rate": 0.5, "noise_shape": [None, 9, 1]}),
    "shuffle": ((24, 3), {}),
}


def draws(mode: str, *questions: tuple[dict[str, Any], str]) -> list[list[str]]:
    """What each draw lacks; a patch stays for the questions behind it."""
    finished = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("draw_with_keras.py")), "torch", mode],
        input=json.dumps(questions),
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    found: list[list[str]] = json.loads(finished.stdout.splitlines()[-1])
    return found


def question(op: str, seed: Any, **more: Any) -> dict[str, Any]:
    shape, params = CALLS[op]
    return case(f"keras.random.{op}", shape, {**params, "seed": seed, **more})


@pytest.mark.parametrize("mode", ["eager", pytest.param("compile", marks=pytest.mark.deep)])
def test_draws_of_keras_on_torch_have_all_properties(mode: str) -> None:
    seeds: tuple[Any, ...] = (3, None, GENERATOR) if mode == "eager" else (GENERATOR,)
    ops = list(CALLS) if mode == "eager" else ["uniform", "dropout"]
    asked = [(op, seed) for op in ops for seed in seeds]
    found = draws(mode, *((question(op, seed), "") for op, seed in asked))
    assert [(*item, lacks) for item, lacks in zip(asked, found, strict=True) if lacks] == []


def test_a_broken_draw_lacks_what_it_breaks() -> None:
    upside_down = "f = keras.random.uniform; keras.random.uniform = lambda *a, **k: -f(*a, **k)"
    stuck = "keras.random.SeedGenerator.next = lambda self, ordered=True: self.state.value * 1"
    forgets = "g = keras.random.normal; keras.random.normal = lambda seed, **k: g(**k)"
    alike = "keras.random.shuffle = lambda x, axis=0, seed=None: x[:1] + 0 * x"
    found = draws(
        "eager",
        (question("uniform", 3), upside_down),
        (question("normal", 3), forgets),
        (question("gamma", GENERATOR), stuck),
        (question("shuffle", 3), alike),
    )
    assert found == [
        ["from minval to maxval", "maxval excluded"],
        ["repeats"],
        ["advances"],
        ["a permutation along the axis"],
    ]
