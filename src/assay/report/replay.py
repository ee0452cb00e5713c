"""What ``assay replay`` says of each finding."""

from collections.abc import Sequence

from rich.text import Text

from assay.ir import Finding
from assay.report.safe import one_line, plain
from assay.report.text import what


def replay_line(
    finding: Finding,
    *,
    reproduced: int,
    attempts: int,
    message: str,
    versions_differ: str,
    machine_differs: str = "",
    fixed: Sequence[str] = (),
    still: Sequence[str] = (),
) -> Text:
    """One finding, whether it is still there, how often it showed, and what changed.

    ``fixed`` and ``still`` name targets, if it shows on some of those that were wrong only.
    Where nothing but the machine changed, that it does not show is no news.
    """
    if reproduced:
        state, style = "still there", "bold red" if finding.category == "bug" else "yellow"
        if fixed:
            where = f"fixed on {', '.join(fixed)}, still there on {', '.join(still)}"
            state = plain(where)
    elif machine_differs and not versions_differ:
        state, style = "does not show here", "yellow"
    else:
        state, style = "not reproduced", "green"
    text = Text(plain(finding.id), style="cyan")
    text.append("  ")
    text.append(state, style=style)
    text.append(f" ({reproduced} of {attempts})  {what(finding)}", style="not bold default")
    # Of a finding that is still there, the message could only say so again.
    for remark in ("" if reproduced else message, versions_differ, machine_differs):
        if remark.strip():
            text.append(f"\n      {one_line(remark, 300)}", style="dim")
    return text
