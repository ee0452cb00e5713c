"""Functions of ``keras.random``: what a trace holds of a draw is which properties it has.

The library draws (in compiled modes, inside of the compiled function); the
properties are looked at in NumPy when the draw is recorded.
"""

from assay_worker import random_properties

#: For draws without a seed, and generators without one.
_GLOBAL_SEED = 1337


class Draws(object):
    """A function of ``keras.random`` with its parameters; a call gives two draws, stacked."""

    weights = ()

    def __init__(self, keras, op, function, keywords):
        self._keras = keras
        self._op = op
        self._function = function
        self._keywords = keywords

    def rewind(self):
        """Set back what a draw depends on besides its arguments, so that runs are alike."""
        self._keras.utils.set_random_seed(_GLOBAL_SEED)
        generator = self._keywords.get("seed")
        if isinstance(generator, self._keras.random.SeedGenerator):
            seed = generator.get_config()["seed"]
            generator.state.assign([_GLOBAL_SEED if seed is None else seed, 0])

    def __call__(self, *arguments):
        """Two draws along a new first axis."""
        draws = [self._function(*arguments, **self._keywords) for _ in range(2)]
        return self._keras.ops.stack(draws)

    def truths(self, arguments, draws, numpy):
        """The properties that the draws have; ``numpy`` turns tensors into arrays."""
        dtype = self._keras.backend.standardize_dtype(draws.dtype)
        first, second = numpy(draws)
        drawn = random_properties.Drawn(first, second, dtype)
        arrays = [numpy(item) for item in arguments]
        return random_properties.truths(self._op, drawn, arrays, self._keywords)
