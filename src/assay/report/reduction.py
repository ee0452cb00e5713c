"""One line for each finding that was reduced."""

from rich.text import Text

from assay.ir import Finding
from assay.report.page import responsibility
from assay.report.safe import plain
from assay.report.text import call_on_inputs, elements, plural


def reduced_line(before: Finding, after: Finding) -> Text:
    """What became of the case, in how many judged cases, and what is responsible."""
    line = Text(plain(after.id), style="cyan")
    line.append("  ")
    line.append(plain(call_on_inputs(after.op, after.params, after.case)), style="bold")
    sizes = f"{elements(before.case):,} → {plural(elements(after.case), 'element')}"
    calls = after.reduction.calls if after.reduction else 0
    line.append(f"  {sizes}, {plural(calls, 'case')} judged")
    said = responsibility(after)
    if said:
        line.append(f"  responsible: {plain(said)}" if after.responsible else f"  {plain(said)}")
    return line


def gone_line(finding: Finding) -> Text:
    """A finding that does not show any more, or not as the bug it was."""
    line = Text(plain(finding.id), style="cyan")
    line.append(f"  {plain(finding.op)} does not show any more; it stays as it was")
    return line
