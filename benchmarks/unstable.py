"""Unstable formulas: are they called bugs, and nothing of the sort in clean libraries?

``python benchmarks/unstable.py --formulas 20 --seed 1`` draws formulas by seed from a pool, puts
them into one target (``seeded/formulas.py``), and asks each op once where the formula is unstable
and the function is not, with numbers drawn by seed. Then every op of the pool runs at ordinary
values on clean targets, and ``--clean`` ops drawn from the whole vocabulary too: no precision
finding may come of it.

Prints one row per formula and the totals; exits 1 if a goal is missed.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from ordinary import laboratory_of, ordinary_calls, trial_of

from assay.campaign.explain import explain
from assay.campaign.running.laboratory import Laboratory
from assay.ir import Case, Explicit, Graph, Input, Node, Trial, Uniform, Verdict, derive
from assay.judge import ORACLES
from assay.ops import Draw
from assay.targets import REFERENCE, builtin_targets, resolve

GOAL = 0.9
FAULTY = "keras-torch-unstable"
_PRELUDE = Path(__file__).parent / "seeded" / "formulas.py"
_CLEAN = ("keras-tensorflow", "keras-torch", "keras-jax")


class Place(msgspec.Struct, frozen=True):
    """Where a formula is unstable: numbers between two bounds, in tensors of these shapes."""

    low: float
    high: float
    shapes: tuple[tuple[int, ...], ...] = ((3, 5),)
    params: dict[str, Any] = {}
    #: Labels rather than such numbers come first.
    labels: bool = False


_NEAR_ZERO = Place(-1e-5, 1e-5)
_OVERFLOWING = Place(95.0, 200.0)
_TWO = ((3, 5), (3, 5))
_LARGE_MEAN = Place(9999.7, 10000.3)
_ROW = {"axis": -1}
_HUGE = Place(1e22, 1e25)
POOL: dict[str, Place] = {
    "keras.ops.expm1": _NEAR_ZERO,
    "keras.ops.log1p": _NEAR_ZERO,
    "keras.ops.sinh": _NEAR_ZERO,
    "keras.ops.arctanh": _NEAR_ZERO,
    "keras.ops.arcsinh": Place(-9e3, -3e3),
    "keras.ops.arccosh": _HUGE,
    "keras.ops.tanh": Place(50.0, 90.0),
    "keras.ops.logaddexp": Place(95.0, 200.0, _TWO),
    "keras.ops.logaddexp2": Place(140.0, 300.0, _TWO),
    "keras.ops.logsumexp": msgspec.structs.replace(_OVERFLOWING, params=_ROW),
    "keras.ops.softmax": _OVERFLOWING,
    "keras.ops.log_softmax": Place(-300.0, 300.0),
    "keras.ops.sigmoid": _OVERFLOWING,
    "keras.ops.log_sigmoid": Place(-200.0, -110.0),
    "keras.ops.softplus": _OVERFLOWING,
    "keras.ops.silu": _OVERFLOWING,
    "keras.ops.elu": Place(-1e-5, -1e-7),
    "keras.ops.celu": Place(-1e-5, -1e-7),
    "keras.ops.selu": Place(-1e-5, -1e-7),
    "keras.activations.elu": Place(-1e-5, -1e-7),
    "keras.activations.softplus": _OVERFLOWING,
    "keras.activations.softmax": _OVERFLOWING,
    "keras.ops.hypot": Place(1e22, 1e25, _TWO),
    "keras.ops.norm": msgspec.structs.replace(_HUGE, params=_ROW),
    "keras.ops.normalize": _HUGE,
    "keras.utils.normalize": _HUGE,
    "keras.ops.var": msgspec.structs.replace(_LARGE_MEAN, params=_ROW),
    "keras.ops.std": msgspec.structs.replace(_LARGE_MEAN, params=_ROW),
    "keras.ops.nanvar": msgspec.structs.replace(_LARGE_MEAN, params=_ROW),
    "keras.ops.moments": msgspec.structs.replace(_LARGE_MEAN, params={"axes": [1]}),
    "keras.ops.layer_normalization": _LARGE_MEAN,
    "keras.ops.rms_normalization": _HUGE,
    "keras.ops.corrcoef": Place(9999.7, 10000.3, ((3, 9),)),
    "keras.ops.cdist": Place(9999.7, 10000.3, ((3, 4), (5, 4))),
    "keras.ops.slogdet": Place(-1e12, 1e12, ((4, 4),)),
    "keras.ops.mean": Place(1e38, 2e38, params=_ROW),
    "keras.ops.average": Place(1e38, 2e38, params=_ROW),
    "keras.ops.binary_crossentropy": Place(
        -200.0, -110.0, _TWO, {"from_logits": True}, labels=True
    ),
    "keras.ops.categorical_crossentropy": Place(
        -300.0, 300.0, _TWO, {"from_logits": True}, labels=True
    ),
}


def case_of(op: str, place: Place, seed: int) -> Case:
    """A call where the formula is unstable, with numbers drawn by seed."""
    generator = np.random.Generator(np.random.PCG64(derive(seed, op)))
    arrays = [generator.uniform(place.low, place.high, shape) for shape in place.shapes]
    if place.labels:
        arrays[0] = np.eye(place.shapes[0][-1])[generator.integers(0, 5, place.shapes[0][0])]
    return _call(op, [Explicit(array.astype("float32")) for array in arrays], place)


def ordinary(op: str, place: Place) -> Case:
    """The same call with ordinary numbers; those of arccosh are larger than one."""
    bounds = (1.5, 3.0) if op == "keras.ops.arccosh" else (-0.9, 0.9)
    recipes = [Uniform(derive(op, index), *bounds) for index in range(len(place.shapes))]
    if place.labels:
        recipes[0] = Uniform(1, 0.0, 1.0)
    return _call(op, recipes, place)


def _call(op: str, recipes: Sequence[Any], place: Place) -> Case:
    names = tuple(f"x{index}" for index in range(len(recipes)))
    inputs = tuple(Input(name, shape) for name, shape in zip(names, place.shapes, strict=True))
    graph = Graph(inputs, (Node("n0", op, names, place.params),), ("n0",))
    return Case(graph, dict(zip(names, recipes, strict=True)))


def judged(laboratory: Laboratory, trial: Trial) -> list[Verdict]:
    """What a hunt makes of a trial."""
    seen = laboratory.observe(trial)
    verdicts = [verdict for oracle in ORACLES for verdict in oracle.judge(seen)]
    return [explain(seen, item, laboratory.observe, laboratory.run).verdict for item in verdicts]


def unstable(ops: Sequence[str], seed: int) -> int:
    """How many of these formulas are called bugs of the target that has them.

    Not always of it alone: some libraries have the same formula.
    """
    known = builtin_targets()
    faulty = msgspec.structs.replace(
        known["keras-torch"],
        name=FAULTY,
        prelude=str(_PRELUDE),
        env={**known["keras-torch"].env, "ASSAY_FORMULAS": ",".join(ops)},
    )
    healthy = resolve(("keras-tensorflow", "keras-jax", REFERENCE.name), known)
    targets = (healthy[0], faulty, *healthy[1:])
    right = 0
    with laboratory_of(targets) as laboratory:
        for op in ops:
            found = judged(laboratory, trial_of(case_of(op, POOL[op], seed), targets))
            bugs = [v for v in found if v.category == "bug" and FAULTY in v.blamed]
            right += bool(bugs)
            said = "; ".join(
                f"{v.category} {v.kind} {','.join(v.blamed)}: {v.evidence.reason}" for v in found
            )
            print(f"{'bug' if bugs else 'NO':4}{op:36}{said or 'nothing was seen'}", flush=True)
    return right


def clean(count: int, seed: int) -> list[Verdict]:
    """Precision findings of clean libraries at ordinary values; there should be none."""
    targets = resolve((*_CLEAN, REFERENCE.name), builtin_targets())
    cases = [ordinary(op, place) for op, place in POOL.items()]
    cases += ordinary_calls(count, seed, _CLEAN)
    found = []
    with laboratory_of(targets) as laboratory:
        for case in cases:
            found += judged(laboratory, trial_of(case, targets))
    print(f"{len(cases)} calls of clean libraries at ordinary values, and the libraries' own:")
    for verdict in found:
        what = f"{verdict.category} {verdict.kind} {verdict.op} {','.join(verdict.blamed)}"
        print(f"    {what}: {verdict.evidence.message or verdict.evidence.reason}")
    return [verdict for verdict in found if verdict.kind == "precision"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--formulas", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clean", type=int, default=60, help="further calls of clean libraries")
    options = parser.parse_args(arguments)
    drawn = Draw(derive(options.seed, "formulas")).order(sorted(POOL))[: options.formulas]
    right = unstable(drawn, options.seed)
    wrong = clean(options.clean, options.seed)
    print(f"unstable formulas called bugs      {right} of {len(drawn)}")
    print(f"precision findings of clean ones   {len(wrong)}")
    return 0 if right >= GOAL * len(drawn) and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
