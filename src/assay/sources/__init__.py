"""Where trials come from: one module per technique, ask and tell."""

from assay.sources._base import (
    Memoryless,
    Source,
    Triple,
    create,
    source,
    techniques,
    usual_techniques,
)
from assay.sources.generational import Generational

__all__ = [
    "Generational",
    "Memoryless",
    "Source",
    "Triple",
    "create",
    "source",
    "techniques",
    "usual_techniques",
]
