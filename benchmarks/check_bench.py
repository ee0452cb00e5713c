"""Models of the zoo on a healthy and on a faulty target, for benchmarks of ``assay check``."""

import json
import os
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from assay.campaign.check.models import LIMITS, Models
from assay.execute import Supervisor
from assay.gaps import MODEL_SCREEN, gap
from assay.judge.models.bound import Bounds
from assay.models import Dataset, generated, inspect
from assay.models.zoo import zoo_path
from assay.targets import REFERENCE, Target

HEALTHY = "healthy"
FAULTY = "faulty"
MODELS = ("lenet1", "lenet5", "resnet20", "mobilenetv2", "gru", "lstm", "transformer", "steering")
TEMPLATES = ("scale", "offset", "roll", "flip", "clip", "half", "lost", "negate-small")
INSTANCES = 4
#: A fault that moves no output by more than this share of the largest is not there.
EFFECT = 1e-3
#: How often a fault is made larger or smaller until it has the size that is asked for.
_TUNED = 8


class Bench:
    """One healthy and one faulty target."""

    def __init__(self, supervisor: Supervisor, targets: tuple[Target, ...], fault_path: str):
        self.models = Models(supervisor, targets)
        self.targets = targets[:-1]
        self.fault_path = fault_path
        self.put({})
        self.models.start()

    def put(self, fault: dict[str, object]) -> None:
        """Put a fault into the faulty target."""
        with open(self.fault_path + ".new", "w") as file:
            json.dump(fault, file)
        os.replace(self.fault_path + ".new", self.fault_path)

    def outputs(self, fault: dict[str, object], inputs) -> list[np.ndarray] | None:
        """What the faulty target gives with a fault, which stays."""
        self.put(fault)
        return self.models.predict_on(FAULTY, inputs)

    def has_effect(self, fault: dict[str, object], inputs) -> bool:
        """Do the faulty target's outputs differ from its own healthy ones?"""
        without, with_fault = (self.outputs(item, inputs) for item in ({}, fault))
        if with_fault is None or without is None:
            return False
        a, b = with_fault[0].astype("float64"), without[0].astype("float64")
        return bool(np.abs(a - b).max() > EFFECT * np.abs(b).max())

    def sized(
        self, fault: dict[str, object], inputs, bounds: Bounds, times: float
    ) -> dict[str, object] | None:
        """The fault, made so large that it moves some instance's outputs so many times their
        bound, and at most half as much again; None if it cannot be.
        """
        without = self.outputs({}, inputs)
        share = 1.0
        for _ in range(_TUNED):
            found = self.outputs({**fault, "share": share}, inputs)
            if found is None or without is None:
                return None
            reached = float(times_the_bound(bounds, without, found).max())
            if times <= reached <= 1.5 * times:
                return {**fault, "share": share}
            if not 0 < reached < np.inf:
                return None
            share *= min(max(1.2 * times / reached, 1e-4), 1e4)
        return None


def times_the_bound(
    bounds: Bounds, first: Sequence[np.ndarray], second: Sequence[np.ndarray]
) -> np.ndarray:
    """By how much each instance exceeds what is allowed: the bound, and the screen before it."""
    count = len(first[0])
    measured = bounds.ratios(first, second, np.ones(count, bool))
    past = np.zeros(count)
    for one, two in zip(first, second, strict=True):
        found = gap(one.reshape(count, -1), two.reshape(count, -1))
        size = found.size
        allowed = MODEL_SCREEN.allowed(size, size.max(axis=1, keepdims=True))
        past = np.maximum(past, (found.distance / allowed).max(axis=1))
    return np.minimum(measured, past)


@contextmanager
def opened(mode: str = "eager") -> Iterator[Bench]:
    """Both targets, started; a ``mode`` that exports is one of TensorFlow's."""
    with tempfile.TemporaryDirectory() as directory:
        fault_path = os.path.join(directory, "fault.json")
        prelude = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_prelude.py")
        healthy, backend = ("tensorflow", "torch") if mode == "eager" else ("torch", "tensorflow")
        targets = (
            Target(HEALTHY, "keras", healthy),
            Target(
                FAULTY,
                "keras",
                backend,
                mode,
                prelude=prelude,
                env={"ASSAY_CHECK_FAULT": fault_path},
            ),
            REFERENCE,
        )
        with Supervisor(targets, LIMITS, standbys=False) as supervisor:
            yield Bench(supervisor, targets, fault_path)


def loaded(bench: Bench, name: str, seed: int) -> Dataset:
    """Load a model of the zoo on both targets; gives instances for it."""
    path = zoo_path(name, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    bench.put({})
    if not path.exists():
        bench.models.build(name, seed, str(path))
    file = inspect(str(path))
    bench.models.load(file)
    return generated(bench.models.spec.inputs, file.ids, INSTANCES, seed)


def put_next(
    bench: Bench, draw: random.Random, inputs: Sequence[np.ndarray]
) -> tuple[str, str, int]:
    """Put the next drawn fault that moves the outputs: layer, template, draws in vain."""
    redrawn = 0
    while True:
        layer = draw.choice(bench.models.spec.layers).name
        template = draw.choice(TEMPLATES)
        if bench.has_effect({"layer": layer, "template": template}, inputs):
            return layer, template, redrawn
        redrawn += 1
