"""How bad a finding is: the one order by which lists are sorted."""

from math import isnan, prod

import numpy as np

from assay.ir.case import Case
from assay.ir.finding import Finding
from assay.ir.trial import REFERENCE

#: From the worst on. Numbers that are silently wrong mislead whoever trusts them; what raises
#: is seen at once, and hardly anybody computes with numbers of 1e30, or with nothing.
SEVERITIES = (
    "wrong numbers",
    "wrong gradient",
    "NaN",
    "crash",
    "error",
    "accepts nonsense",
    "ends of the range",
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
    if finding.kind == "precision" and _everyone(finding) and at_the_ends(finding.case):
        return "ends of the range"
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


def _everyone(finding: Finding) -> bool:
    """Do all libraries share the formula?"""
    return {*finding.targets} <= {*finding.blamed, REFERENCE}


def at_the_ends(case: Case) -> bool:
    """Do inputs have numbers whose squares their format does not hold?"""
    for array in case.input_arrays().values():
        if array.dtype.kind != "f":
            continue
        info = np.finfo(array.dtype)
        sizes = np.abs(array[np.isfinite(array) & (array != 0)].astype("float64"))
        if np.any(sizes > np.sqrt(float(info.max))) or np.any(sizes < np.sqrt(float(info.tiny))):
            return True
    return False
