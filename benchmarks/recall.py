"""Which known bugs did a hunt meet by itself?

``python benchmarks/recall.py STORE INDEX.json [ID-PREFIX…]`` compares the
findings of a store with a list of known bugs (id, op, wrong_target, title) and
prints one row per bug: met or not, and the finding that met it. Only bugs that show
in the version of the library that the store's findings are of count. A bug is met by
a finding of category ``bug`` on the same op, of the kind and stage that the list
names, with the words for parameters that it names (``mode=symmetric``), whose
blamed targets include one that the list names.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from assay.ir import Finding
from assay.store import open_store


class Known(msgspec.Struct, frozen=True):
    """The fields of a known bug that are compared."""

    id: str
    title: str
    op: str
    stage: str
    wrong_target: str
    library_versions: str
    fixed_in: str

    def shows_in(self, versions: set[str]) -> bool:
        """Has one of these (``keras 3.15.1``) the bug, as far as the list knows?"""
        return self.library_versions in versions or any(
            f"still shows in {version.partition(' ')[2]}" in self.fixed_in for version in versions
        )

    def ops(self) -> set[str]:
        """Public paths the bug is about: ``layers.Pool1D/2D`` names two."""
        found = set()
        for path in re.findall(r"(?:layers|ops|losses|activations|metrics)\.[\w./]+", self.op):
            first, *others = path.strip(".").split("/")
            found.add(f"keras.{first}")
            found |= {f"keras.{re.sub(r'[0-9]D$', other, first)}" for other in others}
        # A list such as "layers.X / ops.y": names in the title count too.
        for path in re.findall(r"\b(?:ops|losses|layers|activations)\.[\w.]+", self.title):
            found.add(f"keras.{path.strip('.')}")
        return found

    def targets(self) -> set[str]:
        """Backends the bug is on; empty when it is on all of them."""
        return {
            name for name in ("tensorflow", "jax", "torch", "openvino") if name in self.wrong_target
        }

    def met_by(self, finding: Finding) -> bool:
        """Does the finding point at this bug?"""
        if finding.category != "bug" or finding.op not in self.ops():
            return False
        if not self._same_way(finding) or not self._same_parameters(finding):
            return False
        blamed = {name for name in self.targets() if any(name in b for b in finding.blamed)}
        return bool(blamed) or not self.targets()

    def _same_way(self, finding: Finding) -> bool:
        """Is it of the kind and stage that the list names?"""
        ways = {
            "exception": finding.kind == "error",
            "crash": finding.kind in ("error", "crash"),
            "validation": finding.kind == "validation",
            "save/load": finding.kind == "equivalence",
            "gradient": finding.stage == "gradient",
        }
        numbers = finding.kind in ("nan", "inconsistency", "precision")
        named = [holds for word, holds in ways.items() if word in self.stage]
        if re.search(r"forward|nan|loss \((?!save)|^loss$", self.stage):
            named.append(numbers and finding.stage in ("forward", "loss"))
        return any(named)

    def _same_parameters(self, finding: Finding) -> bool:
        """Have the parameters that the list gives a word for that value?"""
        named = re.findall(r"(\w+)=([a-z]+)\b", self.op)
        return all(finding.params.get(name) == value for name, value in named)


def known_bugs(index: str, prefixes: Sequence[str] = ()) -> list[Known]:
    """The bugs of a list; only those whose ids begin so, if prefixes are given."""
    known = [
        msgspec.convert(item, Known, strict=False) for item in json.loads(Path(index).read_text())
    ]
    return [bug for bug in known if not prefixes or bug.id.startswith(tuple(prefixes))]


def main(store: str, index: str, *prefixes: str) -> int:
    """Print the table; exit 0."""
    known = known_bugs(index, prefixes)
    with open_store(store, create=False) as opened:
        findings = opened.findings()
    versions = {
        f"{name} {version}"
        for finding in findings
        for given in finding.versions.values()
        for name, version in given.items()
    }
    known = [bug for bug in known if bug.shows_in(versions)]
    table = Table("bug", "met", "finding", "blamed", "what the list says", box=None)
    met = 0
    for bug in known:
        found = next((finding for finding in findings if bug.met_by(finding)), None)
        met += found is not None
        table.add_row(
            bug.id,
            "yes" if found else "no",
            f"{found.id} {found.kind}/{found.stage} {found.op}" if found else "–",
            ", ".join(found.blamed) if found else "–",
            bug.title,
        )
    Console(width=200).print(table)
    print(f"{met} of {len(known)} known bugs met by {len(findings)} findings")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
