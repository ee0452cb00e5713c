"""Seeded faults of precision: are they found, attributed right, and is nothing else called a bug?

``python benchmarks/precision_faults.py --faults 20 --seed 1`` draws inexact formulas by seed
(``seeded/precision_draw.py``): every second one at most 16 units in the last place off, on at most
one in a hundred of the format's numbers. Each is put into Keras on one of three backends
(``seeded/inject_precision.py``), and ``assay precision`` measures these ops there beside the other
two backends as they are; operators that only round are measured with them. The same ops are
measured on all three backends without any fault.

Found: a bug on that op that blames the faulty target, and beside it at most those that are as wrong
without any fault. Prints a row per fault, a table by family, and what was said of operators
without a fault; exits with 1 if fewer than 18 of 20 are found, or anything is called a bug
that is not known to be one (``DEFENDED``).
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from seeded.precision_draw import BACKENDS, FAMILIES, Inexact, drawn

GOAL = 0.9
_PRELUDE = Path(__file__).parent / "seeded" / "inject_precision.py"
#: They choose or move numbers, or round exactly.
ROUNDING = ("keras.ops.relu", "keras.ops.abs", "keras.ops.floor", "keras.ops.maximum")


#: Bugs of the libraries as they are, and why they are: by format, op and target.
DEFENDED = {
    ("float16", "keras.ops.sum", "keras-tensorflow"): "it adds float16 in float16",
    ("float16", "keras.ops.mean", "keras-tensorflow"): "it adds float16 in float16",
    ("float32", "keras.ops.std", "keras-tensorflow"): "squares of numbers below 1e-19 are zero",
    ("float32", "keras.ops.std", "keras-jax"): "squares of numbers below 1e-19 are zero",
    ("float32", "keras.ops.std", "keras-torch"): "squares of numbers below 1e-19 are zero",
}


class Outcome(msgspec.Struct, frozen=True):
    """A fault, what was said of its op, and who is as wrong without it."""

    fault: Inexact
    findings: tuple[dict[str, Any], ...]
    others: frozenset[str] = frozenset()

    @property
    def bugs(self) -> tuple[dict[str, Any], ...]:
        """What is called a bug."""
        return tuple(item for item in self.findings if item["category"] == "bug")

    @property
    def found(self) -> bool:
        """Is it called a bug of the target that has it, and of no sound one?"""
        mine = _faulty(self.fault.target)
        return any(mine in item["blamed"] and self._alone(item) for item in self.bugs)

    @property
    def astray(self) -> tuple[dict[str, Any], ...]:
        """Bugs that blame anybody else."""
        return tuple(item for item in self.bugs if not self._alone(item))

    def _alone(self, bug: dict[str, Any]) -> bool:
        return {_sound(name) for name in bug["blamed"]} <= {self.fault.target, *self.others}


def _faulty(target: str) -> str:
    return f"{target}-faulty"


def _sound(target: str) -> str:
    return target.removesuffix("-faulty")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Bench:
    """The options of a run, and its measurements."""

    def __init__(self, inputs: int, directory: Path) -> None:
        self.inputs, self.directory = inputs, directory
        self.cpu: dict[str, float] = {}

    def measured(
        self, ops: Sequence[str], targets: Sequence[str], dtype: str, faults: Sequence[Inexact] = ()
    ) -> list[dict[str, Any]]:
        """The findings of ``assay precision`` on these ops."""
        number = len(list(self.directory.glob("*.toml")))
        table, config = (self.directory / f"{number}.{name}" for name in ("json", "toml"))
        table.write_bytes(msgspec.json.encode(faults))
        lines = [
            f'[targets.{_faulty(target)}]\nlibrary = "keras"\nbackend = "{target[6:]}"\n'
            f'prelude = "{_PRELUDE}"\nenv = {{ ASSAY_PRECISION_FAULTS = "{table}" }}\n'
            for target in sorted({fault.target for fault in faults})
        ]
        config.write_text("\n".join(lines))
        asked = ["precision", *ops, "--targets", ",".join(targets), "--dtype", dtype, "--json"]
        asked += ["--inputs", str(self.inputs), "--config", str(config), "--quiet"]
        asked += ["--store", str(self.directory / f"{number}.db")]
        began = time.monotonic()
        command = [sys.executable, "-m", "assay", *asked]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"assay precision ended with {done.returncode}:\n{done.stderr}")
        document = json.loads(done.stdout)
        broken = [item["why"] for item in document["left_out"] if item["fault"]]
        if broken:
            raise SystemExit(f"a fault of Assay's own: {broken[0]}")
        findings: list[dict[str, Any]] = document["findings"]
        say(
            f"{dtype} on {', '.join(targets)}: {len(ops)} ops, {len(faults)} faults, "
            f"{len(findings)} findings, {time.monotonic() - began:.0f} s"
        )
        return findings


def run(bench: Bench, faults: Sequence[Inexact]) -> tuple[list[Outcome], list[dict[str, Any]]]:
    """All measurements: what became of each fault, and bugs told of ops that have none."""
    outcomes: list[Outcome] = []
    alarms: list[dict[str, Any]] = []
    for dtype in sorted({fault.dtype for fault in faults}):
        here = [fault for fault in faults if fault.dtype == dtype]
        able = BACKENDS[:2] if dtype == "float64" else BACKENDS
        plain = bench.measured([*sorted({f.op for f in here}), *ROUNDING], able, dtype)
        own = [item for item in plain if item["category"] == "bug"]
        wrong: dict[str, frozenset[str]] = {}
        for item in own:
            wrong[item["op"]] = wrong.get(item["op"], frozenset()) | {*item["blamed"]}
        alarms += [
            item
            for item in own
            if any((dtype, item["op"], name) not in DEFENDED for name in item["blamed"])
        ]
        for mine in _apart(here):
            patched = {fault.op: fault.target for fault in mine}
            wrongs = {*patched.values()}
            names = [_faulty(name) if name in wrongs else name for name in able]
            findings = bench.measured([*patched, *ROUNDING], names, dtype, mine)
            for fault in mine:
                told = tuple(item for item in findings if item["op"] == fault.op)
                outcomes.append(Outcome(fault, told, wrong.get(fault.op, frozenset())))
            alarms += [
                item
                for item in findings
                if item["category"] == "bug" and item["op"] not in patched
                if not wrong.get(item["op"], frozenset())
                >= {_sound(name) for name in item["blamed"]}
            ]
    return outcomes, alarms


def _apart(faults: Sequence[Inexact]) -> list[list[Inexact]]:
    """Runs in which no op is wrong on more than one target."""
    runs: list[list[Inexact]] = []
    for fault in faults:
        fits = (run for run in runs if fault.op not in {other.op for other in run})
        chosen = next(fits, None)
        if chosen is None:
            runs.append([fault])
        else:
            chosen.append(fault)
    return runs


def show(outcomes: Sequence[Outcome], alarms: Sequence[dict[str, Any]]) -> bool:
    """Print everything; are the goals met?"""
    console = Console(width=200)
    rows = Table("family", "op", "backend", "format", "how large", "", "what was said", box=None)
    for item in sorted(outcomes, key=lambda item: (item.fault.family, item.fault.op)):
        fault = item.fault
        said = "; ".join(
            f"{each['category']} {each['kind']}: {each['evidence']['reason'][:90]}"
            for each in item.findings
        )
        rows.add_row(
            escape(FAMILIES[fault.family][0]),
            fault.op.removeprefix("keras.ops."),
            fault.target.removeprefix("keras-"),
            fault.dtype,
            fault.shown,
            "found" if item.found else "MISSED",
            escape(said) or "–",
        )
    console.print(rows)
    table = Table("\nfamily", "\nfaults", "\nfound", "of these\nsmall", "\nfound", box=None)
    for family, (told, _, _) in FAMILIES.items():
        mine = [item for item in outcomes if item.fault.family == family]
        small = [item for item in mine if item.fault.small]
        counts = [len(mine), _found(mine), len(small), _found(small)]
        table.add_row(escape(told), *map(str, counts))
    small = [item for item in outcomes if item.fault.small]
    counts = [len(outcomes), _found(outcomes), len(small), _found(small)]
    table.add_row("all", *map(str, counts))
    console.print(table)
    astray = [bug for item in outcomes for bug in item.astray]
    for what, bugs in (("blamed wrong", astray), ("without any fault", alarms)):
        console.print(f"bugs, {what}: {len(bugs)}")
        for bug in bugs:
            reason = bug["evidence"]["reason"]
            told = f"    {bug['id']} {bug['op']} {bug['kind']} {bug['blamed']}: {reason}"
            console.print(escape(told))
    return _found(outcomes) >= GOAL * len(outcomes) and not astray and not alarms


def _found(outcomes: Sequence[Outcome]) -> int:
    return sum(item.found for item in outcomes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, default=5000, help="of each op on each target")
    parser.add_argument("--only", help="formats, as in float32,float16  [default: all]")
    options = parser.parse_args(arguments)
    faults = drawn(options.faults, options.seed)
    if options.only:
        faults = [fault for fault in faults if fault.dtype in options.only.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        outcomes, alarms = run(Bench(options.inputs, Path(folder)), faults)
    return 0 if show(outcomes, alarms) else 1


if __name__ == "__main__":
    sys.exit(main())
