"""Find the node that causes a disagreement."""

from assay.localize.isolate import isolate

__all__ = ["isolate"]
