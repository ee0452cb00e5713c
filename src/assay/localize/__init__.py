"""Find the node that causes a disagreement, and the parameters that are responsible for it."""

from assay.localize.change_rate import by_change_rate
from assay.localize.growth import EPSILON, deviation
from assay.localize.isolate import isolate, suspects
from assay.localize.parameters import Answer, Responsible, responsible

__all__ = [
    "EPSILON",
    "Answer",
    "Responsible",
    "by_change_rate",
    "deviation",
    "isolate",
    "responsible",
    "suspects",
]
