"""How fast exact results are to be had: elements per CPU second of each function of one number.

Enclosures in float32, the errors of answers measured against them, and condition numbers.
``python benchmarks/balls.py [elements]`` prints the slowest functions and the median.
"""

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from assay.judge.balls import NoFormula, conditions, enclose, formulas, unit_errors
from assay.judge.balls.registry import formula_of

ELEMENTS = 4000
#: So many of the slowest are named.
NAMED = 5


def rates(ops: list[str], elements: int, timed: Callable[[str, Any], float]) -> dict[str, float]:
    """Elements per CPU second by op."""
    x = np.random.default_rng(1).uniform(0.05, 0.95, elements).astype("float32")
    return {op: elements / timed(op, x) for op in ops}


def enclosing(op: str, x: Any) -> float:
    started = time.process_time()
    enclose(op, [x])
    return time.process_time() - started


def measuring(op: str, x: Any) -> float:
    (found,) = enclose(op, [x])
    started = time.process_time()
    unit_errors(x, found)
    return time.process_time() - started


def conditioning(op: str, x: Any) -> float:
    started = time.process_time()
    conditions(op, [x[: len(x) // 10]])
    return 10 * (time.process_time() - started)


def unary() -> list[str]:
    """Ops that take one array and no parameter, element by element."""
    found = []
    for op in formulas():
        try:
            formula, _ = formula_of(op, {}, 1)
        except NoFormula:
            continue
        if formula.elementwise:
            found.append(op)
    return found


def main() -> None:
    elements = int(sys.argv[1]) if len(sys.argv) > 1 else ELEMENTS
    ops = unary()
    print(f"{len(ops)} functions of one number, {elements:,} float32 elements each, per CPU second")
    for name, timed in (
        ("exact results", enclosing),
        ("errors of answers", measuring),
        ("condition numbers", conditioning),
    ):
        found = rates(ops, elements, timed)
        slowest = sorted(found, key=found.__getitem__)[:NAMED]
        print(f"{name}: median {median(found.values()):,.0f}; slowest", end=" ")
        print(", ".join(f"{op} {found[op]:,.0f}" for op in slowest))


if __name__ == "__main__":
    main()
