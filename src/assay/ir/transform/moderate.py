"""Huge and tiny numbers of a case made moderate."""

import numpy as np

from assay.ir import Array, Case, Dot, Explicit
from assay.ir.transform.edit import with_upstream, with_values


def moderated_case(case: Case) -> Case | None:
    """The case with huge and tiny elements made moderate; None if there are none.

    A disagreement that goes away with them is an overflow or underflow inside, or
    an ordinary number lost beside a large one: in a wider format the arms would
    agree. Upstream gradients count as inputs.
    """
    arrays = {
        name: moderate
        for name, array in case.input_arrays().items()
        if (moderate := _moderated(array)) is not None
    }
    changed = with_values(case, arrays) if arrays else None
    if isinstance(case.loss, Dot):
        upstream = tuple(
            Explicit(moderate)
            if isinstance(recipe, Explicit) and (moderate := _moderated(recipe.array)) is not None
            else recipe
            for recipe in case.loss.upstream
        )
        if any(new is not old for new, old in zip(upstream, case.loss.upstream, strict=True)):
            changed = with_upstream(changed or case, upstream)
    return changed


def _moderated(array: Array) -> Array | None:
    if array.dtype.kind != "f" or array.size == 0:
        return None
    size = np.abs(array.astype("float64"))
    info = np.finfo(array.dtype)
    largest = min(float(info.max) ** 0.25, 1.0 / float(info.eps))
    huge = np.isfinite(size) & (size > largest)
    tiny = (size > 0) & (size < float(info.tiny) ** 0.25)
    if not (huge.any() or tiny.any()):
        return None
    moderate = np.where(huge, 4.0, 0.25) * np.sign(array.astype("float64"))
    return np.asarray(np.where(huge | tiny, moderate, array).astype(array.dtype))
