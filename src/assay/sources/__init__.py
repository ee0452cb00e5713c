"""Where trials come from: one module per technique, ask and tell."""

from assay.sources._base import Source, Triple, create, source, techniques, usual_techniques

__all__ = ["Source", "Triple", "create", "source", "techniques", "usual_techniques"]
