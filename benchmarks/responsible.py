"""Does Assay name the parameter that is responsible, and none where none is?

``python benchmarks/responsible.py --faults 60 --others 40 --seed 1`` draws faults by
seed and puts them into one target: an op is wrong whenever one parameter (or, for
one fault in four, two) has a certain valid value, and right with every other. Beside
them ops that are wrong whatever their parameters are. Each fault is met by drawing
cases of its op until one shows it; that case is explained, reduced and localized as
``assay reduce`` does. Exact means: the responsible parameters are those of the fault,
no more and no less. ``--preset audee`` also decides each by the published thresholds on the
change rate, and prints both.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from seeded.draw import Fault
from seeded.targets import faulty, name_of

from assay.campaign.explain import explain, finding_of
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.triage.reduction import Showing, localized, reduced
from assay.errors import TargetError
from assay.execute import Hello, Supervisor
from assay.ir import Finding, Trial, derive
from assay.judge import ORACLES
from assay.ops import Draw, OpSpec, specs
from assay.report.text import call
from assay.sources import create
from assay.targets import REFERENCE, builtin_targets

EXACT_GOAL, NONE_GOAL = 0.90, 0.95
TARGET, BESIDE = "keras-torch", "keras-tensorflow"
_CASES = 80
_BOTH_CHANCE = 0.25


def plain_values(spec: OpSpec, name: str) -> list[Any]:
    """The values of a parameter that can be written down: the usual ones and the default."""
    item = next(item for item in spec.parameters if item.name == name)
    values = [choice.value for choice in item.valid if choice.make is None]
    values += [] if item.required else [item.default]
    kept = {repr(v): v for v in values if v is None or isinstance(v, (bool, int, float, str))}
    return list(kept.values())


def eligible(spec: OpSpec) -> list[str]:
    """Parameters of the constructor or function with at least two such values."""
    return [
        item.name
        for item in spec.parameters
        if not item.argument and len(plain_values(spec, item.name)) > 1
    ]


def candidates(seed: int, vocabulary: Mapping[str, OpSpec], dependent: bool) -> Iterator[Fault]:
    """Faults without end, on ops drawn one after the other, none of them twice."""
    draw = Draw(derive(seed, "responsible", str(dependent)))
    names = [
        name
        for name, spec in sorted(vocabulary.items())
        if spec.family in ("layers", "ops", "activations", "losses")
        and spec.result in ("float", "integer")
        and not spec.stochastic
        and spec.parameters
    ]
    for name in draw.order(names):
        spec = vocabulary[name]
        if not dependent:
            template = draw.pick(("forward scaled", "forward shifted", "wrong last"))
            details = {"factor": 1.5, "shift": 0.5}
            yield Fault(name, template, TARGET, details)
            continue
        offered = draw.order(eligible(spec))
        if not offered:
            continue
        count = 2 if len(offered) > 1 and draw.chance(_BOTH_CHANCE) else 1
        when = {
            chosen: {
                "value": draw.pick(plain_values(spec, chosen)),
                "default": next(p.default for p in spec.parameters if p.name == chosen),
            }
            for chosen in offered[:count]
        }
        yield Fault(name, "wrong when", TARGET, {"when": when})


class Outcome(msgspec.Struct, frozen=True):
    """What was said of a fault."""

    fault: Fault
    finding: Finding
    #: What the preset makes of the same reduced case.
    preset: tuple[str, ...] | None = None

    @property
    def right_by_preset(self) -> bool:
        return frozenset(self.preset or ()) == self.wanted

    @property
    def wanted(self) -> frozenset[str]:
        return frozenset(self.fault.details.get("when", {}))

    @property
    def right(self) -> bool:
        return frozenset(self.finding.responsible) == self.wanted


class Bench:
    """Targets at work, and what they make of each fault."""

    def __init__(self, laboratory: Laboratory, seed: int, vocabulary: Mapping[str, OpSpec]) -> None:
        self._laboratory = laboratory
        self._seed = seed
        self._vocabulary = vocabulary
        self._arms = (BESIDE, name_of(TARGET), REFERENCE.name)

    def met(self, fault: Fault) -> Finding | None:
        """The first bug that the fault causes among the cases of its op."""
        only = {fault.op: self._vocabulary[fault.op]}
        source = create("single-op", derive(self._seed, "met"), self._arms, only)
        for index in range(_CASES):
            trial = source.ask(index)
            if trial.intent != "valid" or len(trial.case.graph.nodes) > 1:
                continue
            trial = trial.plain()
            finding = self._finding(trial)
            if finding is not None and self._by_fault(trial):
                return finding
        return None

    def _finding(self, trial: Trial) -> Finding | None:
        observed = self._laboratory.observe(trial)
        for oracle in ORACLES:
            for verdict in oracle.judge(observed):
                found = explain(observed, verdict, self._laboratory.observe, self._laboratory.run)
                finding = finding_of(
                    found, trial, "", self._seed, self._laboratory.platforms, observed
                )
                if finding.category == "bug" and finding.blamed == (name_of(TARGET),):
                    return finding
        return None

    def _by_fault(self, trial: Trial) -> bool:
        """Does the healthy target agree with the others? Then it is not the library's own."""
        arms = tuple(
            msgspec.structs.replace(arm, target=TARGET) if arm.target == name_of(TARGET) else arm
            for arm in trial.arms
        )
        healthy = msgspec.structs.replace(trial, arms=arms, agreements=())
        observed = self._laboratory.observe(healthy)
        return not any(oracle.judge(observed) for oracle in ORACLES)

    def outcome(self, fault: Fault, preset: str) -> Outcome | None:
        """What is said of the fault; None if it was not met."""
        finding = self.met(fault)
        small = finding and reduced(finding, self._laboratory, self._vocabulary)
        if finding is None or not small:
            return None
        if not preset:
            return Outcome(fault, small[0])
        showing = Showing(finding, self._laboratory)
        showing.prepare()
        other = localized(small[0], finding.case, showing, self._vocabulary, preset)
        return Outcome(fault, small[0], other.responsible)


def run(count: int, seed: int, dependent: bool, preset: str = "") -> list[Outcome]:
    """Faults that were met, and what was said of them."""
    vocabulary = specs()
    found: list[Outcome] = []
    wanted = list(candidates(seed, vocabulary, dependent))[: 3 * count]
    with tempfile.TemporaryDirectory(prefix="assay-responsible-") as folder:
        known = builtin_targets()
        targets = (
            known[BESIDE],
            known[TARGET],
            faulty(TARGET, wanted, Path(folder)),
            REFERENCE,
        )
        with Supervisor(targets, standbys=False) as supervisor:
            hellos = {}
            for name, answer in supervisor.start().items():
                if not isinstance(answer, Hello):
                    raise TargetError(f"{name}: {answer.message}")
                hellos[name] = answer
            bench = Bench(Laboratory(supervisor, targets, hellos), seed, vocabulary)
            for fault in wanted:
                if len(found) == count:
                    break
                began = time.monotonic()
                outcome = bench.outcome(fault, preset)
                if outcome is None:
                    print(f"{fault.op}: not met", file=sys.stderr, flush=True)
                    continue
                found.append(outcome)
                took = time.monotonic() - began
                said = ", ".join(outcome.finding.responsible) or "none"
                mark = "" if outcome.right else "   WRONG"
                print(f"{fault.op}: {said} ({took:.1f} s){mark}", file=sys.stderr, flush=True)
    return found


def show(outcomes: list[Outcome], title: str, preset: str = "") -> float:
    columns = ("op", "wrong when", "said", "right", *([preset] if preset else []), "reduced to")
    table = Table(*columns, box=None, title=title)
    for item in outcomes:
        when = {name: each["value"] for name, each in item.fault.details.get("when", {}).items()}
        table.add_row(
            item.fault.op,
            " and ".join(f"{name}={value!r}" for name, value in when.items()) or "always",
            ", ".join(item.finding.responsible) or "none",
            "yes" if item.right else "NO",
            *([", ".join(item.preset or ()) or "none"] if preset else []),
            call(item.finding.op.rpartition(".")[2], item.finding.params),
        )
    Console(width=170).print(table)
    return sum(item.right for item in outcomes) / max(1, len(outcomes))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=60, metavar="N")
    parser.add_argument("--others", type=int, default=40, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--preset", default="", choices=("", "audee"), metavar="NAME")
    options = parser.parse_args(arguments)
    dependent = run(options.faults, options.seed, True, options.preset)
    others = run(options.others, options.seed, False, options.preset)
    exact = show(dependent, "faults of certain parameters", options.preset)
    none = show(others, "faults of no parameter", options.preset)
    print(f"responsible parameters exact   {exact:6.1%} of {len(dependent)}")
    print(f"none claimed where none is     {none:6.1%} of {len(others)}")
    if options.preset:
        for name, met in (("responsible exact", dependent), ("none claimed", others)):
            share = sum(item.right_by_preset for item in met) / max(1, len(met))
            print(f"{options.preset}: {name:<22} {share:6.1%} of {len(met)}")
    return 0 if exact >= EXACT_GOAL and none >= NONE_GOAL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
