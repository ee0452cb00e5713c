"""Op specs by vocabulary. No library is imported: a spec is a table of facts."""

from assay.ops._base import (
    REAL,
    REQUIRED,
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops._registry import register, specs

__all__ = [
    "REAL",
    "REQUIRED",
    "Choice",
    "Context",
    "Domain",
    "Draw",
    "Invalid",
    "OpSpec",
    "Parameter",
    "Params",
    "Shape",
    "Shapes",
    "Tensor",
    "parameter",
    "register",
    "specs",
]
