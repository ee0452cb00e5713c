"""Numbers between those of two cases."""

from assay.ir import Array, Case
from assay.ir.transform.edit import with_values


def mixed_case(case: Case, other: Case, kept: float) -> Case:
    """The case with a share of its own numbers, and the rest those of the other's same inputs.

    Whole numbers and truths are those of the other.
    """
    mine, drawn = case.input_arrays(), other.input_arrays()
    return with_values(case, {name: _mixed(mine[name], drawn[name], kept) for name in drawn})


def _mixed(mine: Array, drawn: Array, kept: float) -> Array:
    if mine.dtype.kind != "f" or not kept:
        return drawn
    mixture = kept * mine.astype("float64") + (1 - kept) * drawn.astype("float64")
    return mixture.astype(mine.dtype)
