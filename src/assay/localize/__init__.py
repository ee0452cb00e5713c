"""Find the node that causes a disagreement, and the parameters that are responsible for it."""

from assay.localize.isolate import isolate, suspects
from assay.localize.parameters import Answer, Responsible, responsible
from assay.localize.wrapper import unwrapped

__all__ = ["Answer", "Responsible", "isolate", "responsible", "suspects", "unwrapped"]
