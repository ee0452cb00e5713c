"""Truth with proven bounds: exact results in ball arithmetic, and errors measured against it.

``enclose`` says where the exact results of a call are (``enclose_case``: of a case),
``unit_errors`` how many units in the last place answers are off, ``conditions`` and
``condition`` how much of an error the inputs explain.
Formulas are in modules of this folder, by kind; ``formulas()`` names their ops.
"""

from assay.judge.balls import (  # noqa: F401  imported for their registrations
    activations,
    bessel,
    convolutions,
    cross_entropies,
    elementary,
    exact,
    linear_algebra,
    losses,
    normalizations,
    pairs,
    products,
    reductions,
    special,
)
from assay.judge.balls.calls import enclose_case
from assay.judge.balls.conditions import condition, conditions
from assay.judge.balls.enclosing import BITS, CEILING, enclose
from assay.judge.balls.errors import NO, UNDECIDED, YES, Errors, unit_errors
from assay.judge.balls.formats import FORMATS, Format, belongs, format_of
from assay.judge.balls.registry import NoFormula, NoTruth, formulas
from assay.judge.balls.truth import Enclosure, Open, Special, Truth

__all__ = [
    "BITS",
    "CEILING",
    "FORMATS",
    "NO",
    "UNDECIDED",
    "YES",
    "Enclosure",
    "Errors",
    "Format",
    "NoFormula",
    "NoTruth",
    "Open",
    "Special",
    "Truth",
    "belongs",
    "condition",
    "conditions",
    "enclose",
    "enclose_case",
    "format_of",
    "formulas",
    "unit_errors",
]
