"""How much of a target's outputs is NaN or infinite."""

from collections.abc import Sequence

import numpy as np

from assay.ir import Array
from assay.ir.check import Special


class Specials:
    """One target, over all batches so far."""

    def __init__(self) -> None:
        self._counts = np.zeros((0, 3))

    def add(self, outputs: Sequence[Array]) -> None:
        """Count a batch."""
        if not len(self._counts):
            self._counts = np.zeros((len(outputs), 3))
        for place, array in enumerate(outputs[: len(self._counts)]):
            finite = np.ones(array.shape, bool) if array.dtype.kind in "iub" else np.isfinite(array)
            nan = 0 if finite.all() else int(np.isnan(array).sum())
            self._counts[place] += (array.size, nan, array.size - int(finite.sum()) - nan)

    def result(self, names: Sequence[str]) -> tuple[Special, ...]:
        """The shares in each output, by name, that is not all finite."""
        found = []
        for place, (size, nan, infinite) in enumerate(self._counts):
            name = names[place] if place < len(names) else f"output {place}"
            if nan or infinite:
                found.append(Special(name, float(nan / size), float(infinite / size)))
        return tuple(found)
