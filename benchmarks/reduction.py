"""How small do the cases of bugs become, and do they stay the same bugs?

``python benchmarks/reduction.py STORE [--every N] [--calls N] [--twice]`` reduces
each bug of a store (the store itself is left alone) and prints one row per bug
and the medians: nodes, elements of all inputs, calls of the oracle, seconds. Each
reduced case is judged once more, on all targets: kept means the same kind, stage,
op, blame and category. ``--twice`` reduces each again and compares.
"""

import argparse
import sys
import time
from math import prod
from statistics import median

from rich.console import Console
from rich.table import Table

from assay.campaign.triage.reduction import Showing, reduced
from assay.campaign.triage.replay import laboratory_for
from assay.ir import Case, content_hash
from assay.ops import specs
from assay.report.text import call_on_inputs
from assay.store import open_store
from assay.targets import builtin_targets

NODES_GOAL, ELEMENTS_GOAL, CALLS_GOAL = 1, 16, 200


def elements(case: Case) -> int:
    return sum(prod(item.shape) for item in case.graph.inputs)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th bug only")
    parser.add_argument("--calls", type=int, default=None, metavar="N", help="budget of each")
    parser.add_argument("--twice", action="store_true", help="reduce again, and compare")
    options = parser.parse_args(arguments)
    with open_store(options.store, create=False) as store:
        bugs = store.findings(categories=["bug"])[:: options.every]
    vocabulary = specs()
    table = Table("id", "kind", "elements", "calls", "s", "kept", "reduced to", box=None)
    before, after, nodes, calls, seconds = [], [], [], [], []
    kept, same, gone = 0, 0, 0
    with laboratory_for(bugs, builtin_targets()) as laboratory:
        for bug in bugs:
            began = time.monotonic()
            result = reduced(bug, laboratory, vocabulary, options.calls)
            took = time.monotonic() - began
            if result is None:
                gone += 1
                table.add_row(bug.id, bug.kind, "–", "–", f"{took:.1f}", "–", "not shown any more")
                continue
            small, _ = result
            assert small.reduction is not None
            holds = Showing(bug, laboratory).ask(small.case, everyone=True) is not None
            kept += holds
            alike = True
            if options.twice:
                again = reduced(bug, laboratory, vocabulary, options.calls)
                alike = again is not None and content_hash(again[0].case) == content_hash(
                    small.case
                )
                same += alike
            before.append(elements(bug.original))
            after.append(elements(small.case))
            nodes.append(len(small.case.graph.nodes))
            calls.append(small.reduction.calls)
            seconds.append(took)
            table.add_row(
                bug.id,
                bug.kind,
                f"{before[-1]} → {after[-1]}",
                str(calls[-1]),
                f"{took:.1f}",
                ("yes" if holds else "NO") + ("" if alike else ", then another"),
                call_on_inputs(small.op, small.params, small.case),
            )
            print(f"{bug.id} {took:.1f} s", file=sys.stderr, flush=True)
    Console(width=160).print(table)
    count = len(after)
    print(f"{count} bugs reduced, {gone} not shown any more")
    print(f"nodes, median          {median(nodes):g}")
    print(f"elements, median       {median(before):g} → {median(after):g}, at most {max(after)}")
    print(f"calls of the oracle    {median(calls):g} (median), {max(calls)} (at most)")
    print(f"seconds                {median(seconds):.1f} (median), {sum(seconds):.0f} in all")
    print(f"kept what it is        {kept} of {count}")
    if options.twice:
        print(f"same reduction twice   {same} of {count}")
    reached = (
        median(nodes) <= NODES_GOAL
        and median(after) <= ELEMENTS_GOAL
        and median(calls) <= CALLS_GOAL
        and kept == count
    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
