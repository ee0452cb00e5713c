"""How bad a finding is: the one order by which lists are sorted."""

from math import isnan, prod

from assay.ir.finding import Finding

#: From the worst on. Numbers that are silently wrong mislead whoever trusts them; what raises
#: is seen at once, and hardly anybody computes with nothing.
SEVERITIES = (
    "wrong numbers",
    "wrong gradient",
    "NaN",
    "crash",
    "error",
    "accepts nonsense",
    "empty tensor",
)


def severity(finding: Finding) -> str:
    """One of ``SEVERITIES``."""
    if finding.kind == "crash":
        return "crash"
    if finding.kind != "validation" and _is_empty(finding):
        return "empty tensor"
    if finding.kind == "validation":
        return "accepts nonsense"
    if finding.kind == "error" or (finding.kind == "equivalence" and finding.evidence.stack):
        return "error"
    if finding.kind == "nan" and gives_nan(finding):
        return "NaN"
    return "wrong gradient" if finding.stage in ("gradient", "update") else "wrong numbers"


def severity_rank(finding: Finding) -> int:
    """0 for the worst."""
    return SEVERITIES.index(severity(finding))


def gives_nan(finding: Finding) -> bool:
    """Is it the blamed side that has NaN or infinity? The other one, if False.

    Nobody knows where nothing was noted: then it is taken for the blamed side.
    """
    noted = [
        item.value
        for item in finding.evidence.observations
        if item.value is not None and (item.target in finding.blamed or not finding.blamed)
    ]
    return not noted or any(isnan(value) or abs(value) == float("inf") for value in noted)


def _is_empty(finding: Finding) -> bool:
    """Is one of the tensors that it is about without elements?"""
    return any(not prod(item.shape) for item in finding.case.graph.inputs)
