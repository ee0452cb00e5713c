"""Find the node that causes a disagreement."""

from assay.localize.isolate import isolate, suspects
from assay.localize.wrapper import unwrapped

__all__ = ["isolate", "suspects", "unwrapped"]
