"""What ``assay replay`` says of each finding."""

from rich.text import Text

from assay.ir import Finding
from assay.report.safe import one_line, plain
from assay.report.text import what


def replay_line(
    finding: Finding, *, reproduced: int, attempts: int, message: str, versions_differ: str
) -> Text:
    """One finding, whether it is still there, how often it showed, and what changed."""
    if reproduced:
        state, style = "still there", "bold red" if finding.category == "bug" else "yellow"
    else:
        state, style = "not reproduced", "green"
    text = Text(plain(finding.id), style="cyan")
    text.append("  ")
    text.append(state, style=style)
    text.append(f" ({reproduced} of {attempts})  {what(finding)}", style="not bold default")
    # Of a finding that is still there, the message could only say so again.
    for remark in ("" if reproduced else message, versions_differ):
        if remark.strip():
            text.append(f"\n      {one_line(remark, 300)}", style="dim")
    return text
