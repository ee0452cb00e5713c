"""How well findings are grouped by cause: pairs, against causes that people wrote down.

    python benchmarks/causes.py STORE... [--truth docs/found/causes.toml]

Looks for the cause of every bug of the stores again, on the targets it was found with, and
compares with the tables of the file: two findings are one cause if their tables quote the same
lines of source. Prints how many of the pairs that are put together belong together (precision)
and how many of those that belong together are put together (recall), also of those only that do
the same (raise, say) in the same library: a file that quotes a function for one fault quotes it
for others, too. A store is only read.
"""

import argparse
import itertools
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import msgspec

from assay.campaign.cause import with_cause
from assay.campaign.triage.replay import laboratory_for
from assay.config import load
from assay.ir import Finding, grouped
from assay.ir.causes import effect_of, implementations, stage_class
from assay.store import open_store
from assay.targets import known_targets

_TRUTH = Path(__file__).parent.parent / "docs" / "found" / "causes.toml"


def true_causes(path: Path) -> dict[str, int]:
    """A number for each finding, the same for those whose tables quote the same lines."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["cause"]
    quoted = [
        {(item["file"], " ".join(item["says"].split())) for item in table.get("checked", ())
         if "file" in item}
        for table in tables
    ]  # fmt: skip
    number = list(range(len(tables)))
    for first, second in itertools.combinations(range(len(tables)), 2):
        if any(
            file == other and (says in told or told in says)
            for file, says in quoted[first]
            for other, told in quoted[second]
        ):
            old, new = number[second], number[first]
            number = [new if item == old else item for item in number]
    return {name: number[index] for index, table in enumerate(tables) for name in table["findings"]}


def bugs_of(stores: list[str]) -> list[Finding]:
    """The bugs of all stores, each once, as a copy of each store has them."""
    found: dict[str, Finding] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, store in enumerate(stores):
            copy = Path(folder) / f"{number}.db"
            shutil.copy(store, copy)
            with open_store(str(copy), create=False) as opened:
                for finding in opened.findings(categories=("bug",)):
                    found.setdefault(finding.id, finding)
    return list(found.values())


def main() -> None:
    """Look for the causes, and print how they compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--truth", type=Path, default=_TRUTH)
    parser.add_argument(
        "--without", nargs="*", default=[], help="leave out what these stores have: seen before"
    )
    parser.add_argument("--list", action="store_true", help="print every group, and every error")
    arguments = parser.parse_args()
    seen = {item.id for item in bugs_of(arguments.without)}
    known_here = known_targets(load(None))
    bugs = [
        item
        for item in bugs_of(arguments.stores)
        # Who is not known here cannot be asked.
        if item.id not in seen and all(name in known_here or "@" in name for name in item.targets)
    ]
    found = []
    with laboratory_for(bugs, known_here) as laboratory:
        for finding in bugs:
            plain = msgspec.structs.replace(finding, cause=None)
            found.append(with_cause(plain, laboratory))
            print(f"{len(found)}/{len(bugs)}", end="\r", file=sys.stderr)
    groups = grouped(found)
    print(f"{len(found)} bugs, {len(groups)} causes")
    truth = true_causes(arguments.truth)
    mine = {item.id: number for number, group in enumerate(groups) for item in group.findings}
    known = [item for item in found if item.id in truth]
    together = {"right": 0, "wrong": 0, "missed": 0, "missed, of another effect": 0}
    for first, second in itertools.combinations(known, 2):
        put, belong = mine[first.id] == mine[second.id], truth[first.id] == truth[second.id]
        if put or belong:
            how = "right" if put and belong else "wrong" if put else "missed"
            if how == "missed" and _effect(first) != _effect(second):
                how = "missed, of another effect"
            together[how] += 1
            if arguments.list and how != "right":
                print(f"{how}: {_line(first)}\n       {_line(second)}")
    right, wrong, missed, others = together.values()
    causes = len({truth[item.id] for item in known})
    ours = len({mine[item.id] for item in known})
    print(f"of {len(known)} that are explained, {causes} causes by their sources, {ours} by Assay")
    print(f"pairs: precision {right}/{right + wrong}, recall {right}/{right + missed + others}")
    print(f"of those that do the same in the same library: recall {right}/{right + missed}")
    if arguments.list:
        for group in groups:
            if len(group.findings) > 1:
                print("one cause:", *(_line(item) for item in group.findings), sep="\n  ")


def _effect(finding: Finding) -> tuple[str, str, tuple[str, ...]]:
    return effect_of(finding), stage_class(finding), implementations(finding)


def _line(finding: Finding) -> str:
    cause = finding.cause
    told = f"{cause.place} [{cause.detail}]" if cause is not None else ""
    return f"{finding.id} {finding.kind} {finding.stage} {finding.op} {finding.blamed}: {told}"


if __name__ == "__main__":
    main()
