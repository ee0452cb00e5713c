"""Boundaries, ties and cancellations: inputs made of numbers at which formulas change."""

import numpy as np

from assay.search._base import Inputs, Seeded, strategy
from assay.search.numbers import edges, moved, spread


@strategy("corners")
class Corners(Seeded):
    """Numbers beside the edges of the format; equal ones; pairs that cancel out."""

    name = "corners"

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator, dtype = self.generator(), self.space.dtype
        shape = (count, self.space.size)
        flat = moved(generator, generator.choice(edges(dtype), shape), dtype, 4)
        # A fourth of the inputs each: edges alone, one number and its neighbours, and pairs of
        # opposite sign that are equal, or nearly, beside numbers of every size.
        kind = generator.integers(0, 4, (count, 1))
        tied = moved(generator, np.repeat(flat[:, :1], self.space.size, axis=1), dtype, 1)
        pairs = spread(generator, shape, dtype)
        order = generator.permutation(self.space.size)
        half = self.space.size // 2
        pairs[:, order[half : 2 * half]] = -moved(generator, pairs[:, order[:half]], dtype, 3)
        with np.errstate(over="ignore", invalid="ignore"):
            large = np.where(generator.random(shape) < 0.5, flat, flat[:, :1] + flat / 1024.0)
            chosen = np.select([kind == 0, kind == 1, kind == 2], [flat, tied, pairs], large)
        return self.space.split(chosen)
