"""What is special about the elements at which two sides differ: zero, NaN, equal arguments …"""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.gaps import SCREEN, gap
from assay.ir import Array

#: Beyond these, squares overflow or vanish in float32.
_HUGE, _TINY = 1e19, 1e-19


def special_values(wrong: Array, right: Array, inputs: Sequence[Array]) -> str:
    """Words for it ("at 0", "of NaN"); "" if elements of all kinds are disputed, or of no kind.

    Only of inputs that the answers correspond to element by element, and only where there are
    others that both sides agree on: a tensor of zeros proves nothing about zero.
    """
    disputed = _disputed(wrong, right)
    alike = [array for array in inputs if array.shape == wrong.shape and array.dtype.kind == "f"]
    if disputed is None or not disputed.any() or not alike or len(alike) < len(inputs):
        return ""
    for words, marks in _classes(alike).items():
        # All that is disputed is of the class, and something is not.
        if any(mark[disputed].all() and not mark.all() for mark in marks):
            return words
    return ""


def _disputed(wrong: Array, right: Array) -> Array | None:
    """Where the two differ; None if their shapes do."""
    found = gap(wrong, right)
    if found is None:
        return None
    far = found.deviation > SCREEN.allowed(found.size, found.largest)
    return np.asarray(far if found.special is None else far | found.special)


def _classes(inputs: Sequence[Array]) -> Mapping[str, list[Array]]:
    """Marks of the elements of each class, of each input; most special first."""
    # In double precision, as half precision does not hold the limits.
    sizes = [np.abs(array.astype("float64")) for array in inputs]
    with np.errstate(invalid="ignore"):
        of_one = {
            "of NaN": [np.isnan(array) for array in inputs],
            "of infinity": [np.isinf(array) for array in inputs],
            "at 0": [array == 0 for array in inputs],
            "of huge numbers": [size > _HUGE for size in sizes],
            "of tiny numbers": [(size != 0) & (size < _TINY) for size in sizes],
            "of negative numbers": [array < 0 for array in inputs],
        }
    if len(inputs) == 1:
        return of_one
    zeros = of_one.pop("at 0")
    same = [array == inputs[0] for array in inputs[1:]]
    of_several = {
        "where all arguments are 0": [np.logical_and.reduce(zeros)],
        "where the arguments are equal": [np.logical_and.reduce(same)],
        "where an argument is 0": zeros,
    }
    return {**of_several, **of_one}
