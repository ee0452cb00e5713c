"""EAGLE's tables, from what hunts with its rules tell. Pure functions."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from assay.ir import Finding
from assay_worker.rules import rule as rule_of

#: The rules of each category (table 1).
CATEGORIES = {
    "Optimization": (1,),
    "API Redundancy": (2, 3, 4, 5, 6, 7),
    "Data Structure Equivalence": (8,),
    "Data Format Equivalence": (9, 10, 11, 12),
    "Inverse Equivalence": (13, 14),
    "Model Evaluation Equivalence": (15, 16),
}
#: Bugs of TensorFlow and of PyTorch in each (table 2).
PUBLISHED = {
    "Optimization": (10, 0),
    "API Redundancy": (0, 0),
    "Data Structure Equivalence": (3, 4),
    "Data Format Equivalence": (1, 3),
    "Inverse Equivalence": (2, 0),
    "Model Evaluation Equivalence": (2, 0),
}
#: What else is published (section 5).
SAID = (
    "EAGLE, on TensorFlow 2.1, 2.2 and 2.3 and PyTorch 1.6 and 1.9: 6,861 pairs (5,817 and 1,044), "
    "400 inputs each, 33 and 26 minutes a pair; 1,212 inconsistencies of 26 APIs, of which one was "
    "a false positive: 25 bugs (18 and 7). 15 of the 25 are in functions that are not implemented "
    "identically in both libraries."
)


class Run(msgspec.Struct):
    """What one library was asked by one rule: inputs by API, those of no answer as 0."""

    inputs: dict[str, int] = {}

    def add(self, api: str, inputs: int) -> None:
        """A trial."""
        self.inputs[api] = self.inputs.get(api, 0) + inputs


#: By library and rule.
Runs = Mapping[tuple[str, str], Run]


class Seen(msgspec.Struct, frozen=True):
    """A difference of a pair, and what testing across libraries would have made of it.

    ``elsewhere`` are libraries with a function of that name.
    """

    library: str
    rule: str
    api: str
    category: str
    inputs: int
    elsewhere: tuple[str, ...]
    wrong: str

    @property
    def across(self) -> str:
        """Would it have been seen? Other libraries are asked the plain call, and nothing else."""
        if not self.elsewhere:
            return "no: only this library has it"
        if self.wrong == "plain":
            return "yes"
        return (
            "no: the plain call is right" if self.wrong == "other" else "nobody says who is wrong"
        )


def seen(library: str, finding: Finding, elsewhere: tuple[str, ...]) -> Seen:
    """What a finding is in the tables. The judge says which of the two programs is wrong."""
    reason = finding.evidence.reason
    wrong = "plain" if reason.endswith("the plain call is wrong") else ""
    wrong = "other" if reason.endswith("the other program is wrong") else wrong
    api, rule = finding.op, finding.rule
    return Seen(library, rule, api, finding.category, finding.count, elsewhere, wrong)


def elsewhere(api: str, library: str, names: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The other libraries that have a function of the same own name."""
    own = _own(api)
    return tuple(
        other
        for other, theirs in sorted(names.items())
        if other != library and own in {_own(name) for name in theirs}
    )


def _own(api: str) -> str:
    return api.rpartition(".")[2].replace("_", "").lower()


def pairs(runs: Runs, libraries: Sequence[str]) -> list[list[str]]:
    """A row for each published rule: APIs, pairs and inputs that were compared, by library."""
    rows = [["rule", *(f"{name}: APIs, pairs, inputs" for name in libraries)]]
    totals = {name: [0, 0] for name in libraries}
    numbers = sorted(number for group in CATEGORIES.values() for number in group)
    for number in numbers:
        row = [str(number)]
        for name in libraries:
            mine = [
                run.inputs
                for (library, rule), run in runs.items()
                if library == name and rule_of(rule).eagle == number
            ]
            compared = [{api: n for api, n in inputs.items() if n} for inputs in mine]
            apis = len(set().union(*compared))
            count, inputs = sum(map(len, compared)), sum(sum(c.values()) for c in compared)
            totals[name][0] += count
            totals[name][1] += inputs
            row.append(f"{apis:,}, {count:,}, {inputs:,}" if count else "–")
        rows.append(row)
    rows.append(["all", *(f"{count:,} pairs, {n:,} inputs" for count, n in totals.values())])
    return rows


def categories(found: Sequence[Seen], libraries: Sequence[str]) -> list[list[str]]:
    """A row for each category: pairs that differ, those that are bugs first, by library."""
    head = [f"{name}: bugs, others" for name in libraries]
    rows = [["category", *head, "EAGLE: TensorFlow, PyTorch"]]
    for category, numbers in CATEGORIES.items():
        row = [category]
        for name in libraries:
            mine = [s for s in found if s.library == name and rule_of(s.rule).eagle in numbers]
            bugs = {(s.rule, s.api) for s in mine if s.category == "bug"}
            others = {(s.rule, s.api) for s in mine} - bugs
            row.append(f"{len(bugs)}, {len(others)}")
        rows.append([*row, "{}, {}".format(*PUBLISHED[category])])
    return rows


def across(found: Sequence[Seen]) -> list[list[str]]:
    """A row for each bug: would testing across libraries have seen it?"""
    rows = [["library", "rule", "API", "also in", "seen across libraries"]]
    for item in found:
        if item.category == "bug":
            rule = f"{rule_of(item.rule).eagle} {item.rule}"
            where = ", ".join(item.elsewhere) or "–"
            rows.append([item.library, rule, item.api, where, item.across])
    return rows


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a table, the first being its head."""
    head, *rest = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest])
