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
        return [part for told in described for part in torch_described(*told)]

    return second


def seen_by_torch(function):
    import torch

    def first(*args, **kwargs):
        leaves = torch.utils._pytree.tree_leaves(function(*args, **kwargs))
        tensors = [item for item in leaves if isinstance(item, torch.Tensor)]
        if not tensors:
            raise NotImplementedError("it gives no tensor")
        return [part for item in tensors for part in torch_described(item.shape, item.dtype)]

    return first


def torch_described(shape, dtype):
    import torch

    # A shape as zeros, a format by the letters of its name: all of it is compared.
    return [torch.zeros(shape, dtype=torch.int8), torch.tensor(list(str(dtype).encode()))]


def told_by_jax(function):
    import jax

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
        leaves = jax.tree_util.tree_leaves(told)
        return [part for item in leaves for part in jax_described(item.shape, item.dtype)]

    return second


def seen_by_jax(function):
    import jax
    import jax.numpy as jnp

    def first(*args, **kwargs):
        leaves = jax.tree_util.tree_leaves(function(*args, **kwargs))
        arrays = [jnp.asarray(item) for item in leaves]
        return [part for item in arrays for part in jax_described(item.shape, item.dtype)]

    return first


def jax_described(shape, dtype):
    import jax.numpy as jnp

    # A shape as zeros, a format by the letters of its name: all of it is compared.
    return [jnp.zeros(shape, "int8"), jnp.array(list(str(dtype).encode()))]


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
            shape = item.shape if fits else [0] + list(item.shape)
            found += tensorflow_described(shape, spec.dtype)
        return found

    return second


def seen_by_tensorflow(function):
    import tensorflow as tf

    def first(*args, **kwargs):
        items = tf.nest.flatten(function(*args, **kwargs))
        return [part for item in items for part in tensorflow_described(item.shape, item.dtype)]

    return first


def tensorflow_described(shape, dtype):
    import tensorflow as tf

    # A shape as zeros, a format by the letters of its name: all of it is compared.
    return [tf.zeros(shape, tf.int8), tf.constant(list(dtype.name.encode()), tf.int32)]


def told_by_keras(function):
    import keras

    narrow = False
    if keras.backend.backend() == "jax":
        import jax

        # It makes 32 bits of 64 unless it is told not to, and says so.
        narrow = not jax.config.jax_enable_x64

    def second(*args, **kwargs):
        results = keras.tree.flatten(function(*args, **kwargs))
        found = []
        # A layer has a batch on its first axis, of which nothing need be known.
        for known in (True, not isinstance(function, keras.layers.Layer)):

            def symbol(value, known=known):
                if not keras.ops.is_tensor(value):
                    return value
                shape = tuple(value.shape)
                shape = shape if known or not shape else (None,) + shape[1:]
                return keras.KerasTensor(shape, keras.backend.standardize_dtype(value.dtype))

            own, named = keras.tree.map_structure(symbol, (list(args), kwargs))
            told = keras.tree.flatten(function(*own, **named))
            for item, spec in zip(results, told):
                pairs = list(zip(spec.shape, item.shape))
                fits = len(spec.shape) == len(item.shape) and all(a in (None, b) for a, b in pairs)
                shape = tuple(item.shape) if fits else (0,) + tuple(item.shape)
                dtype = spec.dtype.replace("64", "32") if narrow else spec.dtype
                found += keras_described(shape, dtype)
        return found

    return second


def seen_by_keras(function):
    import keras

    def first(*args, **kwargs):
        results = keras.tree.flatten(function(*args, **kwargs))
        dtype = keras.backend.standardize_dtype
        described = [keras_described(tuple(x.shape), dtype(x.dtype)) for x in results * 2]
        return [part for parts in described for part in parts]

    return first


def keras_described(shape, dtype):
    import keras

    # A shape as zeros, a format by the letters of its name: all of it is compared.
    letters = keras.ops.convert_to_tensor(list(dtype.encode()), "int32")
    return [keras.ops.zeros(shape, "int8"), letters]


class Symbolic(Rule):
    """Fake tensors, ``jax.eval_shape``, a graph whose inputs have unknown axes, Keras' tensors."""

    name = "symbolic"
    says = "announced shape and dtype ≡ computed ones"
    domain = "calls with tensors, where the shape of the result does not depend on their values"
    programs = {
        "torch": told_by_torch,
        "jax": told_by_jax,
        "tensorflow": told_by_tensorflow,
        "keras": told_by_keras,
    }
    firsts = {
        "torch": seen_by_torch,
        "jax": seen_by_jax,
        "tensorflow": seen_by_tensorflow,
        "keras": seen_by_keras,
    }
    own_helpers = {
        "torch": (torch_described,),
        "jax": (jax_described,),
        "tensorflow": (tensorflow_described,),
        "keras": (keras_described,),
    }
    raising = False
    undefined = True

    def applies(self, facts):
        """Something must be passed in; of Keras, what has a symbolic call."""
        if facts.library != "keras":
            # Sparse tensors have no announced parts.
            return bool(facts.inputs) and "$made" not in str(facts.arguments)
        space, _, own = facts.api.rpartition(".")
        symbolic = space.startswith(("keras.ops", "keras.layers", "keras.activations"))
        return symbolic and bool(facts.inputs) and own not in ("ndim", "nonzero", "shape")


RULE = Symbolic()
