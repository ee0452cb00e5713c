"""Find the node that causes a disagreement."""

from assay.localize.isolate import isolate, suspects

__all__ = ["isolate", "suspects"]
