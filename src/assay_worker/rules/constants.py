"""Constants inside of a compiled function give the same as tensors passed in."""

from assay_worker.rules._base import Rule


def inside_graph(function):
    import numpy as np
    import tensorflow as tf

    def second(*args, **kwargs):
        # Made inside: a captured eager tensor would be an input of the graph.
        arrays = [np.asarray(item) if tf.is_tensor(item) else item for item in args]
        named = {key: np.asarray(v) if tf.is_tensor(v) else v for key, v in kwargs.items()}

        def constant(item):
            return tf.constant(item) if isinstance(item, np.ndarray) else item

        @tf.function
        def whole():
            values = {key: constant(item) for key, item in named.items()}
            return function(*[constant(item) for item in arrays], **values)

        return whole()

    return second


def inside_jit(function):
    import jax

    def second(*args, **kwargs):
        return jax.jit(lambda: function(*args, **kwargs))()

    return second


class Constants(Rule):
    """Compilers compute what depends on constants alone before anything runs."""

    name = "constants"
    eagle = 1
    says = "tensors passed in ≡ constants of a compiled function"
    domain = "calls with tensors"
    programs = {"tensorflow": inside_graph, "jax": inside_jit}
    raising = False
    compiles = True

    def applies(self, facts):
        """Something must be constant."""
        return bool(facts.inputs)


RULE = Constants()
