"""Why a finding has its category: the rule that decided, and what was measured for it."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.ir import Admissible, Finding
from assay.report.safe import plain
from assay.report.text import array_name, number

#: What each rule says; ``assay.judge.judgement`` names them.
RULES: dict[str, str] = {
    "inside": "inside of what rounding allows: rounding",
    "branch": "another branch at a tie, a kink or a jump: convention",
    "undefined": "the function has no value or no derivative there: convention",
    "outside": "outside of what rounding allows: bug",
    "unstable": "outside of what rounding allows, and right in a wider format or with moderate "
    "numbers: an unstable formula, bug",
    "overflow": "no target holds the true result, or what it is summed from: rounding",
    "moderate": "it goes away with moderate numbers, and no truth is known here: rounding",
    "wider": "it goes away in a wider format, where another formula would show, too: rounding",
    "entry": "an entry of a data file covers it",
    "undocumented": "the documentation leaves the result open",
    "shape": "the shapes differ, which no rounding explains: bug",
    "refusal": "it is refused on purpose, or nobody can say that it should work: unsupported",
    "accepted": "one accepts what others reject: bug",
    "harmless": "an invalid value is accepted, and does no harm: unsupported",
    "votes": "independent implementations agree against it: bug",
    "proven": "proven to be beyond its budget, where another does several times better: bug",
    "again": "further runs do not show it: flaky",
    "reference": "only Assay's own reference dissents: presumed its defect",
}
_INDENT = 6


def why_page(finding: Finding) -> RenderableType:
    """The rule, the reason, and every number behind them."""
    title = Text(plain(finding.id), style="bold cyan")
    title.append(f"  why {finding.category}", style="not bold default")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, text in reasons(finding):
        table.add_row(name, Text(text))
    return Group(title, Padding(table, (0, 0, 0, _INDENT), expand=False))


def reasons(finding: Finding) -> list[tuple[str, str]]:
    """Labelled lines; what was not measured is left out."""
    evidence = finding.evidence
    if not evidence.rule:
        return [("reason", plain(evidence.reason)), ("rule", "not recorded by that version")]
    rows = [
        ("rule", f"{evidence.rule}: {RULES.get(evidence.rule, 'unknown to this version')}"),
        ("reason", plain(evidence.reason)),
        ("entry", plain(_entry(finding))),
    ]
    if evidence.admissible is not None:
        rows += _measured(evidence.admissible)
    return [row for row in rows if row[1]]


def _entry(finding: Finding) -> str:
    return f"{finding.recognised} (assay explain {finding.recognised})" * bool(finding.recognised)


def _measured(found: Admissible) -> list[tuple[str, str]]:
    place = f"[{','.join(map(str, found.position))}] of " if found.position else ""
    rows = [
        ("at", plain(place + array_name(found.where)) if found.where else ""),
        ("asked", plain(_source(found.source))),
        ("answer", _value(found.answer)),
        ("believed", _value(found.centre)),
    ]
    if found.lower is not None and found.upper is not None:
        rows.append(("admissible", f"{_value(found.lower)} to {_value(found.upper)}"))
        rows.append(("", _sum(found)))
    rows += [
        ("nudged", ", ".join(map(_value, found.nudged))),
        ("slopes", " on the left, ".join(map(_value, found.branches)) + _right(found)),
    ]
    return rows


def _source(name: str) -> str:
    if name == "products":
        return "nobody: products of the numbers that go in"
    return "reference, in float64" if name == "reference" else name


def _right(found: Admissible) -> str:
    return " on the right" if len(found.branches) == 2 else ""


def _sum(found: Admissible) -> str:
    """How wide the set is, term by term."""
    parts = [
        f"one ULP of every input moves it by {number(found.ball)} at worst, "
        f"times {found.growth:.3g} for {found.terms:,} terms"
    ]
    if found.units:
        parts.append(f"plus {found.units:g} units in its last place of {number(found.unit)}")
    return f"{', '.join(parts)} (family {found.family})"


def _value(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"
