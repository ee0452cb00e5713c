"""One element of an input somewhat less, and somewhat more."""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from assay.ir import Case, Dot, Explicit, Recipe, Stage
from assay.ir.transform.edit import with_upstream, with_values


def stepped_cases(
    case: Case,
    name: str,
    position: tuple[int, ...],
    steps: Sequence[float],
    stage: Stage = "loss",
    everywhere: bool = True,
) -> tuple[Case, ...]:
    """The case with one element of an input moved by each step, asked for its loss or gradient.

    With an upstream gradient ``everywhere``: zero times a derivative that does not exist
    is NaN to some and zero to others. Nothing if the loss is not a sum of products.
    """
    if not isinstance(case.loss, Dot):
        return ()
    array = case.input_arrays()[name]
    upstream = list(map(_everywhere, case.loss.upstream)) if everywhere else case.loss.upstream
    asked = replace(with_upstream(case, upstream), stage=stage)
    cases = []
    for step in steps:
        moved = array.copy()
        moved[position] += array.dtype.type(step)
        cases.append(with_values(asked, {name: moved}))
    return tuple(cases)


def _everywhere(recipe: Recipe) -> Recipe:
    if not isinstance(recipe, Explicit):
        return recipe
    ones = np.ones_like(recipe.array)
    return Explicit(np.where(recipe.array == 0, ones, recipe.array))
