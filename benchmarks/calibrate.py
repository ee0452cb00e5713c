"""Are g and k (``src/assay/judge/allowances.toml``) above what clean libraries need?

``python benchmarks/calibrate.py --calls 300 --seed 1`` draws valid calls with ordinary values of
the whole vocabulary, runs them on clean targets, and holds every element of every float result
against the admissible set around the float64 reference. Beside them a convolution of 3×3×64 terms
and a thousand values of tanh.

Prints, by family, the largest deviation in units of the ball, in units in the last place of the
result, and as a share of what the table allows; exits 1 if a share is 1 or more. What hunts would
call different is no rounding, and left out.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from ordinary import laboratory_of, ordinary_calls, trial_of

from assay.gaps import gap
from assay.ir import Array, Case, Graph, Input, Node, Uniform
from assay.judge.admissible import Region, real, region
from assay.judge.allowance import families, family_of
from assay.judge.compare import difference
from assay.targets import REFERENCE, builtin_targets, resolve

_TARGETS = ("keras-tensorflow", "keras-torch", "keras-jax")


class Row(msgspec.Struct):
    """What a family needed, and in which op."""

    elements: int = 0
    ball: float = 0.0
    units: float = 0.0
    share: float = 0.0
    #: The largest share by op.
    ops: dict[str, float] = {}


def calls(count: int, seed: int) -> Iterator[Case]:
    """The two known ones, and ordinary ones of the vocabulary."""
    yield _call("keras.layers.Conv2D", (1, 6, 6, 64), {"filters": 4, "kernel_size": 3})
    yield _call("keras.ops.tanh", (1000,), {})
    yield from ordinary_calls(count, seed, _TARGETS)


def _call(op: str, shape: tuple[int, ...], params: dict[str, int]) -> Case:
    graph = Graph((Input("x0", shape),), (Node("n0", op, ("x0",), params),), ("n0",))
    return Case(graph, {"x0": Uniform(1, -2.0, 2.0)})


def measured(row: Row, around: Region, answer: Array, op: str) -> None:
    """Put what one answer needs into the row of its family."""
    found = gap(around.centre, answer)
    if found is None or found.special is not None or not answer.size:
        return
    unit = around.unit
    with np.errstate(divide="ignore", invalid="ignore"):
        of_ball = np.nan_to_num(found.deviation / around.ball, posinf=0.0)
        of_unit = np.nan_to_num(found.deviation / unit, posinf=0.0)
        share = np.nan_to_num(found.deviation / around.allowed, posinf=0.0)
    row.elements += answer.size
    row.ball = max(row.ball, float(of_ball.max()))
    # Where the ball is the larger one, k is not what is needed.
    row.units = max(row.units, float(np.where(around.ball <= unit, of_unit, 0.0).max()))
    row.share = max(row.share, float(share.max()))
    row.ops[op] = max(row.ops.get(op, 0.0), float(share.max()))


def calibrate(count: int, seed: int) -> dict[str, Row]:
    """The rows by family."""
    rows = {family.name: Row() for family in families()}
    targets = resolve((*_TARGETS, REFERENCE.name), builtin_targets())
    with laboratory_of(targets) as laboratory:
        for case in calls(count, seed):
            op = case.graph.nodes[0].op
            seen = laboratory.observe(trial_of(case, targets))
            truth = seen.traces[REFERENCE.name]
            for name in (item for item in truth.arrays if item.startswith("output:")):
                around = region(seen, name, op, REFERENCE.name, laboratory.run)
                answers = [
                    real(trace.arrays[name])
                    for target, trace in seen.traces.items()
                    if target != REFERENCE.name and name in trace.arrays
                ]
                for answer in answers:
                    if around is None or answer.dtype.name != "float32":
                        continue
                    if difference(around.centre, answer) is None:
                        measured(rows[family_of(op).name], around, answer, op)
    return rows


def _most(row: Row) -> str:
    """The ops that came nearest to what is allowed."""
    first = sorted(row.ops, key=lambda op: -row.ops[op])[:3]
    return ", ".join(f"{op} {row.ops[op]:.2g}" for op in first)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if a row of the table is too low."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rows = calibrate(options.calls, options.seed)
    print(f"{'family':15}{'elements':>9}{'of the ball':>13}{'units':>9}{'of allowed':>12}  most in")
    for name, row in rows.items():
        needed = f"{row.ball:13.3g}{row.units:9.3g}{row.share:12.3g}"
        print(f"{name:15}{row.elements:9,}{needed}  {_most(row)}")
    return 0 if all(row.share < 1.0 for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
