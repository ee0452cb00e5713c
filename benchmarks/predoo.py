"""Predoo's tables (ISSTA 2021), beside what the same searches and ours find today.

    python benchmarks/predoo.py [--targets A,B] [--inputs N] [--seeds K]

Prints the largest errors of its seven operators on each target beside its table 1, then all
strategies in one box of inputs and by its measure of error (medians over seeds), then inputs per
CPU second. Exits 1 if our search finds less than one of its strategies, or is slower than 50 times
what Predoo was measured to do on such a machine.
"""

import argparse
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import msgspec
from rich.console import Console
from rich.table import Table
from scipy.stats import norm

from assay.campaign.events import PrecisionFinished
from assay.campaign.precision.presets import Operator, preset_of
from assay.campaign.precision.request import Asked, requested
from assay.campaign.precision.running import run_precision
from assay.config import Config
from assay.ir.precision import Measurement

#: Largest error of each operator: input precision, operator precision (its table 1).
PUBLISHED = {
    "conv2d": (2.84e-3, 3.56e-3),
    "norm": (1.69e-4, 2.53e-4),
    "pooling": (4.95e-4, 4.95e-4),
    "relu": (7.84e-4, 7.84e-4),
    "sigmoid": (1.22e-4, 3.99e-4),
    "softmax": (2.28e-4, 3.66e-4),
    "tanh": (1.52e-4, 2.77e-4),
}
#: Inputs per CPU second that Predoo's own code did on a machine like this one, at its shapes.
RATES = {"sigmoid": 260.0, "conv2d": 79.0}
TIMES = 50.0
MODES = ("input", "operator")
PAPER = ("random", "linf", "l1")
OURS = ("mixture",)


def box_of(operator: Operator, inputs: int) -> float:
    """How far normal numbers of so many inputs reach: the median of the largest of them."""
    count = inputs * prod(operator.wishes.shape or ())
    return float(norm.ppf(0.5 + 0.5 * 0.5 ** (1.0 / count)))


def measured(
    targets: Sequence[str], strategies: Sequence[str], inputs: int, seed: int
) -> tuple[Measurement, ...]:
    with TemporaryDirectory() as folder:
        asked = Asked(
            targets=tuple(targets),
            strategies=tuple(strategies),
            inputs=inputs,
            seed=seed,
            preset="predoo",
        )
        request = requested(Config(), asked, str(Path(folder) / "predoo.db"))
        boxed = tuple(
            msgspec.structs.replace(item, box=box_of(item, inputs)) for item in request.operators
        )
        (*_, last) = run_precision(msgspec.structs.replace(request, operators=boxed))
    assert isinstance(last, PrecisionFinished)
    return last.result.results


def _table(*columns: str) -> Table:
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, name in enumerate(columns):
        made.add_column(name, justify="right" if place else "left", no_wrap=True)
    return made


def first_table(results: Sequence[Measurement], targets: Sequence[str]) -> Table:
    """The published table: the largest mean error of an output by its strategies."""
    shown = _table("", "", "paper", *targets)
    for label, published in PUBLISHED.items():
        for mode, number in zip(MODES, published, strict=True):
            cells = []
            for target in targets:
                rows = [
                    item
                    for item in results
                    if (item.label, item.mode, item.target) == (label, mode, target)
                    and item.strategy in PAPER
                ]
                each = (_by_seed(rows, name) for name in PAPER)
                largest = median(max(group) for group in zip(*each, strict=True))
                cells.append(f"{largest:.2e}")
            shown.add_row(label if mode == "input" else "", mode, f"{number:.2e}", *cells)
    return shown


def _by_seed(rows: Sequence[Measurement], strategy: str) -> list[float]:
    return [item.max_mean for item in rows if item.strategy == strategy]


def strategies_table(
    results: Sequence[Measurement], targets: Sequence[str]
) -> tuple[Table, list[str]]:
    """All strategies, and where ours finds less than one of the paper's."""
    shown = _table("", "", "", *PAPER, *OURS)
    missed = []
    for label in PUBLISHED:
        for mode in MODES:
            for target in targets:
                found = {
                    name: median(
                        item.max_abs
                        for item in results
                        if (item.label, item.mode, item.target, item.strategy)
                        == (label, mode, target, name)
                    )
                    for name in (*PAPER, *OURS)
                }
                best = max(found[name] for name in PAPER)
                if max(found[name] for name in OURS) < best:
                    missed.append(f"{label} {mode} {target}")
                numbers = [f"{found[name]:.2e}" for name in (*PAPER, *OURS)]
                shown.add_row(label, mode, target, *numbers)
    return shown, missed


def speed_table(results: Sequence[Measurement], targets: Sequence[str]) -> tuple[Table, list[str]]:
    """Inputs per CPU second, search and truth included."""
    shown, missed = _table("", *targets, "Predoo", "times"), []
    for label in PUBLISHED:
        rates = []
        for target in targets:
            rows = [item for item in results if (item.label, item.target) == (label, target)]
            # A first call compiles and loads: the median of the rows tells what an input costs.
            rates.append(median(item.inputs / item.cpu_seconds for item in rows))
        published = RATES.get(label)
        times = min(rates) / published if published else 0.0
        if published and times < TIMES:
            missed.append(f"{label}: {times:.0f} times as fast, not {TIMES:.0f}")
        shown.add_row(
            label,
            *(f"{rate:,.0f}" for rate in rates),
            f"{published:,.0f}" if published else "–",
            f"{times:,.0f}×" if published else "–",
        )
    return shown, missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", default="keras-tensorflow,keras-torch,keras-jax")
    parser.add_argument("--inputs", type=int, default=preset_of("predoo").inputs)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    targets = options.targets.split(",")
    results: list[Measurement] = []
    for seed in range(options.seeds):
        results += measured(targets, (*PAPER, *OURS), options.inputs, seed)
    console = Console(width=120)
    console.print(
        f"Largest mean error of an output, float16, {options.inputs:,} inputs, the best of "
        f"{', '.join(PAPER)}; medians of {options.seeds} seeds (its code records means)\n"
    )
    console.print(first_table(results, targets))
    console.print("\nLargest error of an element, all strategies in one box of inputs\n")
    table, missed = strategies_table(results, targets)
    console.print(table)
    console.print("\nInputs per CPU second, search and comparison included\n")
    table, slow = speed_table(results, targets)
    console.print(table)
    for what in missed:
        console.print(f"ours finds less: {what}")
    for what in slow:
        console.print(f"too slow: {what}")
    return 1 if missed or slow else 0


if __name__ == "__main__":
    sys.exit(main())
