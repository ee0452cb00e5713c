"""What a compiler makes of a call gives the same as the call."""

from assay_worker.rules._base import Rule


def traced(function):
    import torch

    made = []

    def second(*args, **kwargs):
        leaves, tree = torch.utils._pytree.tree_flatten((args, kwargs))
        tensors = tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))

        def again(*tensors):
            left = list(tensors)
            mine = [left.pop(0) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
            own, named = torch.utils._pytree.tree_unflatten(mine, tree)
            return function(*own, **named)

        if not made:
            made.append(torch.jit.trace(again, tensors, check_trace=False))
        return made[0](*tensors)

    return second


def graph(function):
    import tensorflow as tf

    made = []

    def second(*args, **kwargs):
        leaves = tf.nest.flatten((args, kwargs))
        tensors = [leaf for leaf in leaves if tf.is_tensor(leaf)]

        def again(*given):
            left = list(given)
            mine = [left.pop(0) if tf.is_tensor(leaf) else leaf for leaf in leaves]
            own, named = tf.nest.pack_sequence_as((args, kwargs), mine)
            return function(*own, **named)

        if not made:
            # One graph for all inputs of these shapes: to look for it takes as long as a call.
            made.append(tf.function(again, autograph=False).get_concrete_function(*tensors))
        return made[0](*tensors)

    return second


def jitted(function):
    import jax

    made = []

    def second(*args, **kwargs):
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, jax.Array)]

        def again(*given):
            left = list(given)
            mine = [left.pop(0) if isinstance(leaf, jax.Array) else leaf for leaf in leaves]
            own, named = jax.tree_util.tree_unflatten(tree, mine)
            return function(*own, **named)

        if not made:
            made.append(jax.jit(again))
        return made[0](*tensors)

    return second


def keras_compiled(function):
    import keras

    backend = keras.backend.backend()
    made = []

    def second(*args, **kwargs):
        def again(*tensors):
            # What a layer remembers stays outside.
            with keras.StatelessScope():
                return function(*tensors, **kwargs)

        if backend not in ("tensorflow", "jax"):
            raise NotImplementedError("this backend compiles nothing so cheaply")
        if not made and backend == "jax":
            import jax

            made.append(jax.jit(again))
        if not made:
            import tensorflow as tf

            made.append(tf.function(again))
        return made[0](*args)

    return second


class Jit(Rule):
    """Tensors passed in, everything else constant."""

    name = "jit"
    eagle = 1
    says = "eager ≡ torch.jit.trace, tf.function, jax.jit"
    domain = "calls with tensors, where the shape of the result does not depend on their values"
    programs = {"torch": traced, "tensorflow": graph, "jax": jitted, "keras": keras_compiled}
    raising = False
    compiles = True

    def applies(self, facts):
        """Something must be passed in; of Keras nothing by name, since that may be a tensor."""
        return bool(facts.inputs) and not (facts.library == "keras" and facts.arguments)


RULE = Jit()
