"""Targets: what can execute an arm."""

from assay.targets._base import (
    DEFAULT_MODEL_TARGETS,
    DEFAULT_TARGETS,
    REFERENCE,
    Target,
    builtin_targets,
    resolve,
)
from assay.targets.known import known_targets

__all__ = [
    "DEFAULT_MODEL_TARGETS",
    "DEFAULT_TARGETS",
    "REFERENCE",
    "Target",
    "builtin_targets",
    "known_targets",
    "resolve",
]
