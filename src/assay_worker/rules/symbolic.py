"""What a library says of a result before it computes it is true: shape and dtype."""

from assay_worker.rules._base import Rule


def told_by_torch(function):
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    def second(*args, **kwargs):
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:

            def fake(value):
                return mode.from_tensor(value) if isinstance(value, torch.Tensor) else value

            own = torch.utils._pytree.tree_map(fake, (args, kwargs))
            result = function(*own[0], **own[1])
            told = [
                item
                for item in torch.utils._pytree.tree_leaves(result)
                if isinstance(item, torch.Tensor)
            ]
            described = [(tuple(item.shape), item.dtype) for item in told]
        return [torch.zeros(shape, dtype=dtype) for shape, dtype in described]

    return second


def seen_by_torch(function):
    import torch

    def first(*args, **kwargs):
        leaves = torch.utils._pytree.tree_leaves(function(*args, **kwargs))
        return [
            torch.zeros(item.shape, dtype=item.dtype)
            for item in leaves
            if isinstance(item, torch.Tensor)
        ]

    return first


def told_by_jax(function):
    import jax
    import jax.numpy as jnp

    def second(*args, **kwargs):
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def again(*tensors):
            mine = list(leaves)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            own, named = jax.tree_util.tree_unflatten(tree, mine)
            return function(*own, **named)

        told = jax.eval_shape(again, *[leaves[place] for place in places])
        return [jnp.zeros(item.shape, item.dtype) for item in jax.tree_util.tree_leaves(told)]

    return second


def seen_by_jax(function):
    import jax
    import jax.numpy as jnp

    def first(*args, **kwargs):
        leaves = jax.tree_util.tree_leaves(function(*args, **kwargs))
        return [jnp.zeros(jnp.shape(item), jnp.asarray(item).dtype) for item in leaves]

    return first


def told_by_tensorflow(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        def unknown(value):
            # Of the axes nothing is known but how many there are.
            return tf.TensorSpec([None] * len(value.shape), value.dtype)

        places = [i for i, value in enumerate(args) if tf.is_tensor(value)]

        def again(*tensors):
            mine = list(args)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            return function(*mine, **kwargs)

        specs = [unknown(args[place]) for place in places]
        graph = tf.function(again).get_concrete_function(*specs)
        result = tf.nest.flatten(function(*args, **kwargs))
        told = tf.nest.flatten(graph.structured_outputs)
        found = []
        for item, spec in zip(result, told):
            fits = spec.shape.is_compatible_with(item.shape)
            found.append(tf.zeros(item.shape if fits else [0] + list(item.shape), spec.dtype))
        return found

    return second


def seen_by_tensorflow(function):
    import tensorflow as tf

    def first(*args, **kwargs):
        return [
            tf.zeros(item.shape, item.dtype) for item in tf.nest.flatten(function(*args, **kwargs))
        ]

    return first


class Symbolic(Rule):
    """Fake tensors, ``jax.eval_shape``, a graph whose inputs have unknown axes."""

    name = "symbolic"
    says = "announced shape and dtype ≡ computed ones"
    domain = "calls with tensors, where the shape of the result does not depend on their values"
    programs = {"torch": told_by_torch, "jax": told_by_jax, "tensorflow": told_by_tensorflow}
    firsts = {"torch": seen_by_torch, "jax": seen_by_jax, "tensorflow": seen_by_tensorflow}
    raising = False
    undefined = True

    def applies(self, facts):
        """Something must be passed in."""
        return bool(facts.inputs)


RULE = Symbolic()
