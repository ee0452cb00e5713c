"""Targets: what can execute an arm."""

from assay.targets._base import (
    DEFAULT_KERNELS,
    DEFAULT_MODEL_TARGETS,
    DEFAULT_TARGETS,
    REFERENCE,
    Target,
    builtin_targets,
    check_library,
    resolve,
)
from assay.targets.known import known_targets

__all__ = [
    "DEFAULT_KERNELS",
    "DEFAULT_MODEL_TARGETS",
    "DEFAULT_TARGETS",
    "REFERENCE",
    "Target",
    "builtin_targets",
    "check_library",
    "known_targets",
    "resolve",
]
