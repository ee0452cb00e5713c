"""Searches for the inputs that score highest: ask for many, tell what they scored."""

from assay.search._base import (
    Breeding,
    Inputs,
    Scores,
    Settings,
    Space,
    Strategy,
    Tensor,
    create,
    strategies,
    strategy,
)

__all__ = [
    "Breeding",
    "Inputs",
    "Scores",
    "Settings",
    "Space",
    "Strategy",
    "Tensor",
    "create",
    "strategies",
    "strategy",
]
