"""The text of an issue: what a maintainer needs, and nothing we do not know."""

from assay.ir import Array, Finding, fix, platform_of, severity
from assay.reproduce.known import known_issues, symptom_of
from assay.reproduce.numpy_says import NUMPY, numpy_says
from assay.reproduce.short import short
from assay.reproduce.sides import REFERENCE, sides_of
from assay.reproduce.title import responsibility, title


def issue(finding: Finding, arrays: dict[str, Array], script: str) -> str:
    """The issue in Markdown. ``script`` is the reproducer's text."""
    sides = sides_of(finding, arrays)
    lines = short(finding, arrays)
    parts = [
        f"# {title(finding, sides)}",
        *([f"```python\n{lines}\n```"] if lines else []),
        "## Versions\n\n" + "\n".join(_versions(finding)),
        "## Script\n\n```python\n" + script.rstrip("\n") + "\n```",
        "## Expected and actual\n\n" + "\n".join(observations(finding)),
        "## Analysis\n\n" + "\n".join(analysis(finding)),
    ]
    threads = known_issues(symptom_of(finding))
    if threads:
        listed = "\n".join(f"- {item.url} ({_cell(item.title)})" for item in threads)
        parts.append(f"## Similar known issues\n\n{listed}")
    return "\n\n".join(parts) + "\n"


def _versions(finding: Finding) -> list[str]:
    lines = []
    for target, known in finding.versions.items():
        if target != REFERENCE:
            listed = ", ".join(f"{name} {version}" for name, version in known.items())
            lines.append(f"- {_called(finding, target)}: {listed}")
    return lines or ["- not recorded"]


def observations(finding: Finding) -> list[str]:
    """A table of what each target gave, and NumPy where the op promises to do what it does."""
    rows = ["| target | gives | |", "|---|---|---|"]
    numpy = numpy_says(finding)
    for item in (*finding.evidence.observations, *([numpy] if numpy is not None else [])):
        shown = f"{item.value:.9g}" if item.value is not None else item.summary
        name = _called(finding, item.target)
        told = "differs" if finding.category == "convention" else "wrong"
        verdict = told if item.target in finding.blamed else ""
        if item.target in finding.evidence.astray:
            verdict = "differs in another way"
        rows.append(f"| {_cell(name)} | {_cell(shown)} | {verdict} |")
    return rows


def _called(finding: Finding, target: str) -> str:
    """What a reader elsewhere calls a target; the name it has here only beside that."""
    if target == REFERENCE:
        return "float64 reference"
    if target.startswith(NUMPY):
        return f"{target}, which the op promises to follow"
    identity = platform_of(finding, target).identity
    return identity if identity == target else f"{identity} ({target})"


def analysis(finding: Finding) -> list[str]:
    """Who agrees, where the difference is, and how sure we are."""
    evidence = finding.evidence
    lines = [f"- {evidence.reason}"] if evidence.reason else []
    if evidence.where:
        place = f" at {list(evidence.position)}" if evidence.position else ""
        lines.append(f"- largest difference in `{evidence.where}`{place}")
    if finding.magnitude and evidence.tolerance is not None and finding.kind != "nan":
        deviation = f"deviation {finding.magnitude:.4g}"
        lines.append(f"- {deviation}; rounding explains at most {evidence.tolerance:.2g}")
    if evidence.message:
        lines.append(f"- message: `{' '.join(evidence.message.split())}`")
    if responsibility(finding):
        lines.append(f"- {responsibility(finding)}")
    lines.append(f"- severity: {severity(finding)}")
    if finding.cause is not None:
        lines.append(f"- comes from `{finding.cause.place}`")
    if finding.category == "bug":
        lines.append(f"- fix: {fix(finding)}")
    if evidence.attempts:
        lines.append(f"- reproduced {evidence.confirmations} of {evidence.attempts} times")
    return lines


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
