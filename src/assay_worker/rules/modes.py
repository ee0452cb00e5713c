"""Forward-mode and reverse-mode differentiation give the same number."""

from assay_worker.rules._base import Rule


def torch_question(function, args, kwargs):
    """A number made of the results, as a function of float tensors; their values, a direction."""
    import torch

    given = list(args) + list(kwargs.values())
    places = [
        i for i, v in enumerate(given) if isinstance(v, torch.Tensor) and v.is_floating_point()
    ]
    if not places:
        raise NotImplementedError("nothing to differentiate by")

    def wave(tensor, step):
        numbers = torch.arange(tensor.numel(), dtype=tensor.dtype)
        return torch.cos(step * numbers).reshape(tensor.shape)

    def number(*tensors):
        mine = list(given)
        for place, tensor in zip(places, tensors):
            mine[place] = tensor
        result = function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))
        leaves = torch.utils._pytree.tree_leaves(result)
        floats = [x for x in leaves if isinstance(x, torch.Tensor) and x.is_floating_point()]
        return sum((wave(x, 1.0) * x).sum() for x in floats)

    values = tuple(given[place] for place in places)
    return number, values, tuple(wave(value, 2.0) for value in values)


def torch_forward(function):
    import torch

    def second(*args, **kwargs):
        number, values, direction = torch_question(function, args, kwargs)
        return torch.func.jvp(number, values, direction)[1]

    return second


def torch_reverse(function):
    import torch

    def first(*args, **kwargs):
        number, values, direction = torch_question(function, args, kwargs)
        with torch.enable_grad():
            leaves = [value.detach().clone().requires_grad_() for value in values]
            # As what a layer hands on: leaves may not be changed in place.
            result = number(*[leaf * 1 for leaf in leaves])
            if not result.requires_grad:
                raise NotImplementedError("it has no gradient")
            found = torch.autograd.grad(result, leaves, allow_unused=True)
        terms = [(g * d).sum() for g, d in zip(found, direction) if g is not None]
        return sum(terms).detach()

    return first


def jax_question(function, args, kwargs):
    """A number made of the results, as a function of float tensors; their values, a direction."""
    import jax
    import jax.numpy as jnp

    leaves, tree = jax.tree_util.tree_flatten((args, kwargs))

    def floating(value):
        return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jnp.floating)

    places = [i for i, leaf in enumerate(leaves) if floating(leaf)]
    if not places:
        raise NotImplementedError("nothing to differentiate by")

    def wave(tensor, step):
        return jnp.cos(step * jnp.arange(tensor.size)).astype(tensor.dtype).reshape(tensor.shape)

    def number(*tensors):
        mine = list(leaves)
        for place, tensor in zip(places, tensors):
            mine[place] = tensor
        own, named = jax.tree_util.tree_unflatten(tree, mine)
        found = jax.tree_util.tree_leaves(function(*own, **named))
        return sum((wave(x, 1.0) * x).sum() for x in found if floating(x))

    values = tuple(leaves[place] for place in places)
    return number, values, tuple(wave(value, 2.0) for value in values)


def jax_forward(function):
    import jax

    def second(*args, **kwargs):
        number, values, direction = jax_question(function, args, kwargs)
        return jax.jvp(number, values, direction)[1]

    return second


def jax_reverse(function):
    import jax

    def first(*args, **kwargs):
        number, values, direction = jax_question(function, args, kwargs)
        found = jax.grad(number, argnums=tuple(range(len(values))))(*values)
        return sum((g * d).sum() for g, d in zip(found, direction))

    return first


def tensorflow_question(function, args, kwargs):
    """A number made of the results, as a function of float tensors; their values, a direction."""
    import tensorflow as tf

    given = list(args) + list(kwargs.values())
    places = [i for i, v in enumerate(given) if tf.is_tensor(v) and v.dtype.is_floating]
    if not places:
        raise NotImplementedError("nothing to differentiate by")

    def wave(tensor, step):
        numbers = tf.range(tf.size(tensor), dtype="int32")
        return tf.reshape(
            tf.cast(tf.cos(step * tf.cast(numbers, "float32")), tensor.dtype), tensor.shape
        )

    def number(*tensors):
        mine = list(given)
        for place, tensor in zip(places, tensors):
            mine[place] = tensor
        result = function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))
        floats = [x for x in tf.nest.flatten(result) if tf.is_tensor(x) and x.dtype.is_floating]
        if not floats:
            raise NotImplementedError("it has no float result")
        return sum(tf.reduce_sum(wave(x, 1.0) * x) for x in floats)

    values = tuple(given[place] for place in places)
    return number, values, tuple(wave(value, 2.0) for value in values)


def tensorflow_forward(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        number, values, direction = tensorflow_question(function, args, kwargs)
        with tf.autodiff.ForwardAccumulator(list(values), list(direction)) as accumulator:
            result = number(*values)
        found = accumulator.jvp(result)
        if found is None:
            raise NotImplementedError("it has no forward mode")
        return found

    return second


def tensorflow_reverse(function):
    import tensorflow as tf

    def first(*args, **kwargs):
        number, values, direction = tensorflow_question(function, args, kwargs)
        with tf.GradientTape() as tape:
            tape.watch(values)
            result = number(*values)
        found = tape.gradient(result, values, unconnected_gradients="zero")
        return sum(tf.reduce_sum(tf.convert_to_tensor(g) * d) for g, d in zip(found, direction))

    return first


class Modes(Rule):
    """One number of each: the slope of a mix of all results, along a mix of all directions."""

    name = "modes"
    says = "forward-mode ≡ reverse-mode derivative"
    domain = "functions of float tensors that can be differentiated both ways"
    programs = {"torch": torch_forward, "jax": jax_forward, "tensorflow": tensorflow_forward}
    firsts = {"torch": torch_reverse, "jax": jax_reverse, "tensorflow": tensorflow_reverse}
    own_helpers = {
        "torch": (torch_question,),
        "jax": (jax_question,),
        "tensorflow": (tensorflow_question,),
    }
    special = False
    raising = False

    def applies(self, facts):
        """There must be something to differentiate by."""
        return any("float" in item["dtype"] for item in facts.inputs)


RULE = Modes()
