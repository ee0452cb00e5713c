"""Which findings come first when there is not time for all."""

from assay.ir import Finding
from assay.ir.model import model_of

#: How bad a kind is, the worst first, in the stages that give results …
_FORWARD = {"nan": 2, "crash": 3, "error": 4, "validation": 5}
#: … with numbers that are silently wrong before all others, and wrong gradients next.
_NUMBERS, _GRADIENT = 0, 1
#: Whatever it is, empty tensors are a corner.
_EMPTY = 6


def reducible_bug(finding: Finding) -> bool:
    """Is it a bug that can be reduced, and was not yet?"""
    whole = finding.others or model_of(finding.case) is not None
    return finding.category == "bug" and finding.reduction is None and not whole


def rank(finding: Finding) -> int:
    """The lower, the more severe."""
    if any(0 in item.shape for item in finding.case.graph.inputs):
        return _EMPTY
    if finding.kind in _FORWARD:
        return _FORWARD[finding.kind]
    return _GRADIENT if finding.stage in ("gradient", "update") else _NUMBERS
