"""Numbers of every size: exponents are equally likely over the whole format."""

import numpy as np

from assay.search._base import Inputs, Seeded, strategy
from assay.search.numbers import spread


@strategy("exponents")
class Exponents(Seeded):
    """Inputs of numbers of every size, or of those that the bounds allow."""

    name = "exponents"

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator = self.generator()
        flat = spread(generator, (count, self.space.size), self.space.dtype)
        low = np.concatenate([np.full(item.size, item.low) for item in self.space.tensors])
        high = np.concatenate([np.full(item.size, item.high) for item in self.space.tensors])
        # What is outside of the bounds would all be at their ends: smaller by powers of two.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            bound = np.minimum(np.where(flat < 0.0, -low, high), np.finfo("float64").max)
            excess = 1 + np.frexp(np.abs(flat))[1] - np.frexp(np.maximum(bound, 0.0))[1]
        shift = np.where((np.abs(flat) > bound) & (bound > 0.0), excess, 0)
        shift = shift + np.floor(generator.random(flat.shape) * 24).astype("int64") * (shift > 0)
        return self.space.split(np.ldexp(flat, -shift))
