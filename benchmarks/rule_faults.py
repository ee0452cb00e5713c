"""Seeded faults for ``rewrite``: which rules see which, and do clean libraries stay silent?

``python benchmarks/rule_faults.py --libraries torch --seed 1`` draws three faults for each rule
by seed (``seeded/rule_draw.py``): an API that the rule applies to, and a fault that breaks one of
the rule's two ways, on all elements or a part of them. They are put into one target, which is
hunted: the trials of ``rewrite`` on these APIs, judged and confirmed in new workers as any hunt
does it. A fault that changed no answer in any round is no fault: another is drawn for it. The
same trials run on the library as it is.

Found: called a bug, by the rule whose way is broken. Attributed wrong: a bug that is told of an
API whose own fault changed nothing there. ``--all-rules`` tries every other rule on the faulty
APIs, too, for the matrix. Exits with 1 if a goal is missed.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from seeded.rule_draw import RuleFault, drawn, rules_of
from seeded.rule_hunt import TARGETS, Bench, Hunted, Pair

from assay.ir import Finding

GOAL = 0.9
#: Candidates for each fault that is still wanted, by hunt: many change no answer.
_CANDIDATES = (1, 3, 5)


class Outcome(msgspec.Struct, frozen=True):
    """A fault, the rules that called it a bug, and in which round its own rule did first."""

    fault: RuleFault
    seen_by: frozenset[str]
    round: int | None
    note: str = ""


class Result(msgspec.Struct):
    """What came of a library."""

    library: str
    outcomes: list[Outcome] = []
    passed: list[RuleFault] = []
    astray: list[Finding] = []
    alarms: list[tuple[Finding, bool]] = []
    bugs: int = 0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(bench: Bench, rules: Sequence[str], count: int, every: bool, waves: int) -> Result:
    """All hunts of a library."""
    result = Result(bench.library)
    apis = bench.pairs(rules_of(bench.library))
    for wave, candidates in enumerate(_CANDIDATES[:waves]):
        met = Counter(item.fault.rule for item in result.outcomes)
        wanted = {name: candidates * (count - met[name]) for name in rules if met[name] < count}
        tried = {item.fault.api for item in result.outcomes} | {f.api for f in result.passed}
        faults = drawn(bench.library, apis, wanted, bench.seed, tried)
        if not faults:
            break
        pairs = {(fault.api, fault.rule) for fault in faults}
        if every:
            pairs |= {(f.api, name) for f in faults for name in apis if f.api in apis[name]}
        began = time.process_time()
        clean, faulty = bench.hunt((), pairs), bench.hunt(faults, pairs)
        before = len(result.outcomes)
        taken_in(result, faults, pairs, clean, faulty, wanted, candidates)
        say(
            f"{bench.library} {wave + 1}: {len(faults)} faults, {len(pairs)} pairs, "
            f"{len(result.outcomes) - before} changed an answer; CPU seconds: host "
            f"{time.process_time() - began:.0f}, hunts {clean.summary.cpu_seconds.total:.0f} "
            f"and {faulty.summary.cpu_seconds.total:.0f}"
        )
    return result


def taken_in(
    result: Result,
    faults: Sequence[RuleFault],
    pairs: set[Pair],
    clean: Hunted,
    faulty: Hunted,
    wanted: Mapping[str, int],
    candidates: int,
) -> None:
    """What a hunt says of each fault that is wanted, and what the clean one says."""
    left = {name: number // candidates for name, number in wanted.items()}
    own = {(bug.op, bug.rule) for bug in clean.bugs}
    result.alarms += [(bug, bug.trial in clean.special) for bug in clean.bugs]
    at_work = {(rule, api) for rule, api, asked in faulty.fired if api == asked}
    bugs = [bug for bug in faulty.bugs if (bug.op, bug.rule) not in own]
    result.bugs += len(bugs)
    working = {api for _, api in at_work}
    result.astray += [bug for bug in bugs if bug.op not in working]
    for fault in faults:
        if (fault.rule, fault.api) not in at_work:
            result.passed.append(fault)
            continue
        if not left[fault.rule]:
            continue
        left[fault.rule] -= 1
        mine = [bug for bug in bugs if bug.op == fault.api]
        first = min((bug.trial for bug in mine if bug.rule == fault.rule), default=None)
        result.outcomes.append(
            Outcome(
                fault,
                frozenset(bug.rule for bug in mine),
                None if first is None else first // len(pairs) + 1,
                "; ".join(
                    f"{item.category} ({item.evidence.rule}): {item.evidence.reason}"
                    for item in faulty.summary.findings
                    if item.op == fault.api and item.rule == fault.rule and item.category != "bug"
                ),
            )
        )


def show(result: Result, rounds: int) -> bool:
    """Print it all; is the goal met?"""
    print(f"\n== {result.library}")
    for item in sorted(result.outcomes, key=lambda item: (item.fault.rule, item.fault.api)):
        seen = f"round {item.round}" if item.round else "MISSED"
        others = sorted(item.seen_by - {item.fault.rule})
        also = f"; also {', '.join(others)}" if others else ""
        print(f"{item.fault.rule:12} {seen:8} {item.fault.api}: {item.fault.shown()}{also}")
        if not item.round and item.note:
            print(f"    {item.note}")
    print(f"\npassed over, as they changed no answer: {len(result.passed)}")
    for what, number in sorted(Counter((f.rule, f.effect) for f in result.passed).items()):
        print(f"    {what[0]}: {what[1]} {number}")
    total = len(result.outcomes)
    print("\nfound by the rule that is broken")
    for last in range(1, rounds + 1):
        found = sum(item.round is not None and item.round <= last for item in result.outcomes)
        print(f"    after {last} × 20 draws: {found} of {total}, {found / max(1, total):.1%}")
    any_rule = sum(bool(item.seen_by) for item in result.outcomes)
    print(f"found by any rule that was asked: {any_rule} of {total}")
    right = result.bugs - len(result.astray)
    print(f"bugs told of the right API: {right} of {result.bugs}")
    for bug in result.astray:
        print(f"    {bug.id} {bug.op} ({bug.rule})")
    ordinary = [bug for bug, special in result.alarms if not special]
    print(f"bugs of the library as it is: {len(result.alarms)}, {len(ordinary)} of ordinary values")
    for bug, special in result.alarms:
        kind = "special" if special else "ordinary"
        print(f"    {bug.id} {bug.op} ({bug.rule}, {kind}): {bug.evidence.message}")
    matrix(result)
    found = sum(item.round is not None for item in result.outcomes)
    return found >= GOAL * total and not ordinary and not result.astray


def matrix(result: Result) -> None:
    """Of the faults of each rule, how many each rule sees."""
    names = sorted({item.fault.rule for item in result.outcomes})
    columns = sorted({rule for item in result.outcomes for rule in item.seen_by} | set(names))
    print("\nfaults of a rule (rows), and how many of them each rule sees")
    for number, name in enumerate(columns, start=1):
        print(f"    {number:2} {name}")
    print(" " * 16 + "".join(f"{number:3}" for number in range(1, len(columns) + 1)))
    for name in names:
        mine = [item for item in result.outcomes if item.fault.rule == name]
        cells = [sum(column in item.seen_by for item in mine) for column in columns]
        row = "".join(f"{cell or '·':>3}" for cell in cells)
        print(f"{name:12}{len(mine):3} {row}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", default=",".join(TARGETS), help="[default: all four]")
    parser.add_argument("--rules", help="[default: all but those that take seconds each]")
    parser.add_argument("--faults", type=int, default=3, help="for each rule")
    parser.add_argument("--rounds", type=int, default=3, help="trials of 20 draws for each pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-rules", action="store_true", help="every rule on the faulty APIs")
    parser.add_argument("--words", action="store_true", help="no catalogue: the shared vocabulary")
    parser.add_argument("--waves", type=int, default=len(_CANDIDATES), help="of other faults")
    options = parser.parse_args(arguments)
    met = True
    for library in options.libraries.split(","):
        named = tuple(options.rules.split(",")) if options.rules else rules_of(library)
        rules = [name for name in named if name in rules_of(library)]
        with tempfile.TemporaryDirectory() as directory:
            own = (options.seed, options.rounds, Path(directory), not options.words)
            bench = Bench(library, *own)
            result = run(bench, rules, options.faults, options.all_rules, options.waves)
        met = show(result, options.rounds) and met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
