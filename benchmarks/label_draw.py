"""Findings of a store, drawn by lot, for readers who must not know what Assay says of them.

``python benchmarks/label_draw.py STORE --draw bug=60,rounding=35 --seed 7 -o FOLDER`` writes for
each finding ``cases/ID.json`` without Assay's judgement (what ``categories.py`` judges anew) and
``FOLDER/sheet.md`` for the readers, in an order drawn by lot: the call, its inputs (whole ones in
``FOLDER/ID.npz``), and what each target gave. A second one of an op, stage, kind and category comes
only where others are used up, and none that has a label already.
``python benchmarks/label_draw.py --merge FIRST.toml SECOND.toml`` prints what both readers gave as
``held_out.toml``.
"""

import argparse
import random
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import msgspec
import numpy as np
from categories import FOLDER

from assay.ir import Finding
from assay.ir.finding import Evidence
from assay.ir.serial import to_json
from assay.store import open_store


def blind(finding: Finding) -> Finding:
    """The finding without what Assay made of it."""
    return msgspec.structs.replace(
        finding,
        category="undecided",
        responsible=(),
        evidence=Evidence(observations=(), reason=""),
        recognised="",
        reproducer=None,
        reduction=None,
        script=None,
        localization=None,
        cause=None,
        versions={},
        platforms={},
    )


def drawn(findings: list[Finding], wanted: dict[str, int], seed: int) -> list[Finding]:
    """So many of each category, the categories mixed."""
    known = {path.stem for path in (FOLDER / "cases").glob("*.json")}
    dice = random.Random(seed)
    groups: dict[str, list[Finding]] = defaultdict(list)
    met: Counter[tuple[str, ...]] = Counter()
    turns = {}
    for finding in dice.sample(findings, len(findings)):
        what = (finding.category, finding.op, finding.stage, finding.kind)
        if finding.id in known or finding.others:
            continue
        turns[finding.id] = met[what]
        met[what] += 1
        groups[finding.category].append(finding)
    chosen = [
        item
        for name, count in wanted.items()
        for item in sorted(groups[name], key=lambda item: turns[item.id])[:count]
    ]
    return dice.sample(chosen, len(chosen))


def sheet(finding: Finding) -> str:
    """What a reader sees of it."""
    case = finding.case
    # A kind that a rule gave it would say what Assay makes of it.
    kind = finding.evidence.symptom or finding.kind
    lines = [f"## {finding.id}", "", f"`{finding.op}` · stage {finding.stage} · {kind}", ""]
    for node in case.graph.nodes:
        lines.append(
            f"- node {node.id}: `{node.op}` of {node.inputs} with {node.params}"
            + (f", tensors by name {node.arguments}" if node.arguments else "")
        )
    if case.training:
        lines.append("- training=True")
    loss = type(case.loss).__name__
    lines.append(f"- loss: {loss}; stage asked: {case.stage}; optimizer: {case.optimizer}")
    if finding.round_trip:
        lines.append(f"- the same again after a round trip: {finding.round_trip}")
    with np.printoptions(threshold=40, edgeitems=2, floatmode="unique", linewidth=110):
        for name, array in case.input_arrays().items():
            lines.append(f"- {name}: {array.dtype}{list(array.shape)}")
            lines += ["```", str(array), "```"]
    told = finding.evidence
    lines.append(f"disputed: {told.where} at {list(told.position)}")
    for item in sorted(told.observations, key=lambda item: item.target):
        value = "" if item.value is None else f" → {item.value!r}"
        lines.append(f"- {item.target}: {item.summary}{value}")
    if told.message:
        lines += ["message:", "```", told.message.strip()[-1500:], "```"]
    return "\n".join([*lines, ""])


def merged(first: Path, second: Path) -> str:
    """Two readers' labels as one file: the first's, and beside it what the second says."""
    ours, theirs = (
        {item["id"]: item for item in tomllib.loads(path.read_text(encoding="utf-8"))["label"]}
        for path in (first, second)
    )
    if {*ours} != {*theirs}:
        raise SystemExit(f"only one reader labelled {', '.join(sorted({*ours} ^ {*theirs}))}")
    parts = []
    for name, item in ours.items():
        reason = item["reason"].replace("\\", "\\\\").replace('"', '\\"')
        sure = str(item["sure"] and theirs[name]["sure"]).lower()
        parts.append(
            f'[[label]]\nid = "{name}"\nlabel = "{item["label"]}"\nreason = "{reason}"\n'
            f'sure = {sure}\nsecond = "{theirs[name]["label"]}"\n'
        )
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", nargs="?")
    parser.add_argument("--draw", default="bug=60,rounding=35,convention=40,unsupported=25")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--merge", nargs=2, type=Path, metavar="TOML")
    options = parser.parse_args(arguments)
    if options.merge:
        print(merged(*options.merge), end="")
        return 0
    wanted = {
        name: int(count) for name, count in (item.split("=") for item in options.draw.split(","))
    }
    with open_store(options.store) as store:
        chosen = drawn(list(store.findings()), wanted, options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    for finding in chosen:
        np.savez(options.output / f"{finding.id}.npz", **finding.case.input_arrays())
        path = FOLDER / "cases" / f"{finding.id}.json"
        path.write_text(to_json(blind(finding)) + "\n", encoding="utf-8")
    text = "\n".join(sheet(finding) for finding in chosen)
    (options.output / "sheet.md").write_text(text, encoding="utf-8")
    print(f"{len(chosen)} findings: {options.output / 'sheet.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
