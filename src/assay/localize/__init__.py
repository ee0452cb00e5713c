"""Find the node that causes a disagreement, and the parameters that are responsible for it."""

from assay.localize.isolate import isolate
from assay.localize.parameters import Answer, Responsible, responsible

__all__ = ["Answer", "Responsible", "isolate", "responsible"]
