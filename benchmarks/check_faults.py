"""Faults in single layers, drawn by seed: does ``assay check`` see them, and name the layer?

A fault is a model of the zoo × one of its layers × a template (``check_prelude``), put into
Keras on one target. Drawn faults that leave the model's outputs as they are on that same
target are drawn again: no comparison of outputs can see them; the table says how many.

    python benchmarks/check_faults.py [--faults 40] [--seed 1] [--models lenet5,gru]
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from assay.campaign.check.comparing import check_loaded
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import Request
from assay.execute import Supervisor
from assay.localize.growth import first_highlighted
from assay.models import Dataset, generated, inspect
from assay.models.zoo import zoo_path
from assay.targets import REFERENCE, Target

HEALTHY = "keras-tensorflow"
FAULTY = "keras-torch-faulty"
MODELS = ("lenet1", "lenet5", "resnet20", "mobilenetv2", "gru", "lstm", "transformer", "steering")
TEMPLATES = ("scale", "offset", "roll", "flip", "clip", "half", "lost", "negate-small")
INSTANCES = 4
#: A fault that moves no output by more than this share of the largest is not there.
EFFECT = 1e-3


class Bench:
    """One healthy and one faulty target."""

    def __init__(self, supervisor: Supervisor, targets: tuple[Target, ...], fault_path: str):
        self.models = Models(supervisor, targets)
        self.fault_path = fault_path
        self.put({})
        self.models.start()

    def put(self, fault: dict[str, str]) -> None:
        """Put a fault into the faulty target."""
        with open(self.fault_path + ".new", "w") as file:
            json.dump(fault, file)
        os.replace(self.fault_path + ".new", self.fault_path)

    def has_effect(self, inputs) -> bool:
        """Do the faulty target's outputs differ from its own healthy ones?"""
        with_fault = self.models.predict_on(FAULTY, inputs)
        with open(self.fault_path) as file:
            fault = json.load(file)
        self.put({})
        without = self.models.predict_on(FAULTY, inputs)
        self.put(fault)
        if with_fault is None or without is None:
            return False
        a, b = with_fault[0].astype("float64"), without[0].astype("float64")
        return bool(np.abs(a - b).max() > EFFECT * np.abs(b).max())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    names = options.models.split(",")
    draw = random.Random(options.seed)
    rows, redrawn = [], 0
    with opened() as bench:
        for place, name in enumerate(names):
            count = options.faults * (place + 1) // len(names)
            count -= options.faults * place // len(names)
            redrawn += run_model(bench, name, count, draw, options.seed, rows)
    return summary(rows, redrawn)


@contextmanager
def opened() -> Iterator[Bench]:
    """Both targets, started."""
    with tempfile.TemporaryDirectory() as directory:
        fault_path = os.path.join(directory, "fault.json")
        prelude = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_prelude.py")
        targets = (
            Target(HEALTHY, "keras", "tensorflow"),
            Target(
                FAULTY,
                "keras",
                "torch",
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
        bench.put({"layer": layer, "template": template})
        if bench.has_effect(inputs):
            return layer, template, redrawn
        redrawn += 1


def run_model(bench, name, count, draw, seed, rows) -> int:
    """Check ``count`` faults of one model; gives how many draws had no effect."""
    data = loaded(bench, name, seed)
    inputs = next(data.batches()).inputs
    targets = (Target(HEALTHY, "keras", "tensorflow"), Target(FAULTY, "keras", "torch"))
    request = Request(title=f"zoo:{name}", file=None, targets=targets)
    clean = check_loaded(request, bench.models, data)
    if clean.verdict != "consistent":
        print(f"{name}: a false alarm without any fault", file=sys.stderr)
        rows.append((name, "(none)", "", False, False, False, False))
    redrawn = 0
    for _ in range(count):
        layer, template, vain = put_next(bench, draw, inputs)
        redrawn += vain
        result = check_loaded(request, bench.models, data)
        bench.put({})
        (pair,) = result.pairs
        suspect = pair.suspect.layer if pair.suspect else ""
        growing = first_highlighted(result.maps[0].layers) if result.maps else None
        baseline = growing.layer if growing else ""
        blamed = bool(pair.suspect and pair.suspect.blamed == (FAULTY,))
        row = (
            name,
            layer,
            template,
            result.verdict == "inconsistent",
            suspect == layer,
            baseline == layer,
            blamed,
        )
        rows.append(row)
        marks = ["yes" if item else "NO" for item in row[3:]]
        print(
            f"{name:12} {layer[:34]:34} {template:13} detected {marks[0]:3}  exact {marks[1]:3}  "
            f"third quartile alone {marks[2]:3}  blamed {marks[3]:3} "
            f"{'' if row[4] else 'suspect: ' + suspect}"
            f"{'' if blamed or not pair.suspect else pair.suspect.reason}",
            flush=True,
        )
    return redrawn


def summary(rows, redrawn: int) -> int:
    total = len(rows)
    shares = [100.0 * sum(row[place] for row in rows) / max(1, total) for place in range(3, 7)]
    print(
        f"\n{total} faults ({redrawn} draws had no effect on the outputs): "
        f"detected {shares[0]:.0f}%, suspect layer exact {shares[1]:.0f}%, "
        f"by the third quartile alone {shares[2]:.0f}%, right target blamed {shares[3]:.0f}%"
    )
    return 0 if shares[0] == 100.0 and shares[1] >= 95.0 else 1


if __name__ == "__main__":
    sys.exit(main())
