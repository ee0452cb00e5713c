"""Forward-mode and reverse-mode differentiation give the same number, or finite differences do."""

from assay_worker.rules._base import Rule


def differences(along, slope, size):
    """``slope``, unless it is not that of ``along`` at 0: then that, as central differences tell.

    In double precision. Of a place that is not smooth nobody says what the slope is, nor of steps,
    whose derivative is made up.
    """
    sides = []
    for step in (1e-5, 1e-6):
        below, here, above = along(-step), along(0.0), along(step)
        sides += [(above - here) / step, (here - below) / step]
    largest = max(abs(side) for side in sides)
    noise = 1e-8 * (1 + size)
    if not max(sides) - min(sides) <= 1e-3 * largest + noise:
        raise NotImplementedError("it is not smooth there")
    if largest <= 10 * noise:
        raise NotImplementedError("it does not change there")
    central = (sides[2] + sides[3]) / 2
    return slope if abs(slope - central) <= 5e-3 * largest + noise else central


def torch_question(function, args, kwargs):
    """A number made of the results, as a function of float tensors; their values, a direction."""
    import torch

    given = list(args) + list(kwargs.values())
    places = [i for i, v in enumerate(given)
              if isinstance(v, torch.Tensor) and v.is_floating_point() and v.numel()]  # fmt: skip
    if not places:
        raise NotImplementedError("nothing to differentiate by")

    def wave(tensor, step):
        numbers = torch.arange(tensor.numel(), dtype=tensor.dtype)
        return torch.cos(step * numbers).reshape(tensor.shape)

    def direction(tensor, step):
        # What a function takes for granted of a matrix stays so: symmetric, or a triangle.
        found = wave(tensor, step)
        if tensor.dim() < 2 or tensor.shape[-1] != tensor.shape[-2]:
            return found
        bound = 8 * torch.finfo(tensor.dtype).eps * tensor.abs().max()

        def nearly(other):
            return bool(((tensor - other).abs() <= bound).all())

        if nearly(tensor.mT):
            return found + found.mT
        lower, upper = nearly(tensor.tril()), nearly(tensor.triu())
        return found.tril() if lower else found.triu() if upper else found

    def results(*tensors):
        mine = list(given)
        for place, tensor in zip(places, tensors):
            mine[place] = tensor
        result = function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))
        leaves = torch.utils._pytree.tree_leaves(result)
        found = [x for x in leaves if isinstance(x, torch.Tensor) and x.is_floating_point()]
        if any(x.element_size() < given[place].element_size() for x in found for place in places):
            raise NotImplementedError("it rounds to another format")
        return found

    def number(*tensors):
        return sum((wave(x, 1.0) * x).sum() for x in results(*tensors))

    values = tuple(given[place] for place in places)
    # How large the results are: what is left where terms of the slope cancel out is nothing beside.
    size = sum(x.abs().double().sum() for x in results(*values))
    # Of each its own: what hangs on a difference of two would not move.
    directions = tuple(direction(value, 2.0 + place) for place, value in enumerate(values))
    return number, values, directions, size


def torch_slope(number, values, direction):
    """The slope by reverse mode, and by which values there is a gradient."""
    import torch

    with torch.enable_grad():
        leaves = [value.detach().clone().requires_grad_() for value in values]
        # As what a layer hands on: leaves may not be changed in place.
        result = number(*[leaf * 1 for leaf in leaves])
        if not result.requires_grad:
            raise NotImplementedError("it has no gradient")
        found = torch.autograd.grad(result, leaves, allow_unused=True)
    terms = [(g * d).double().sum() for g, d in zip(found, direction) if g is not None]
    return sum(terms), [g is not None for g in found]


def torch_difference(function, args, kwargs):
    """The slope by reverse mode in double precision, or what it is instead."""
    import torch

    def wide(value):
        floats = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.double() if floats else value

    args, kwargs = torch.utils._pytree.tree_map(wide, (tuple(args), dict(kwargs)))
    number, values, direction, size = torch_question(function, args, kwargs)
    slope, there = torch_slope(number, values, direction)

    def along(step):
        with torch.no_grad():
            moved = [v + step * d if g else v for v, d, g in zip(values, direction, there)]
            return float(number(*moved))

    return torch.tensor(differences(along, float(slope), float(size)), dtype=torch.float64)


def torch_forward(function):
    import torch

    def second(*args, **kwargs):
        number, values, direction, size = torch_question(function, args, kwargs)
        try:
            slope = torch.func.jvp(number, values, direction)[1]
        except RuntimeError:  # it has no forward mode
            slope = torch_difference(function, args, kwargs)
        return torch.stack([slope.double(), size])

    return second


def torch_reverse(function):
    import torch

    def first(*args, **kwargs):
        number, values, direction, size = torch_question(function, args, kwargs)
        return torch.stack([torch_slope(number, values, direction)[0], size]).detach()

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

    def results(*tensors):
        mine = list(leaves)
        for place, tensor in zip(places, tensors):
            mine[place] = tensor
        own, named = jax.tree_util.tree_unflatten(tree, mine)
        return [x for x in jax.tree_util.tree_leaves(function(*own, **named)) if floating(x)]

    def number(*tensors):
        return sum((wave(x, 1.0) * x).sum() for x in results(*tensors))

    values = tuple(leaves[place] for place in places)
    # How large the results are: what is left where terms of the slope cancel out is nothing beside.
    size = sum(jnp.abs(x).sum() for x in results(*values))
    # Of each its own: what hangs on a difference of two would not move.
    directions = tuple(wave(value, 2.0 + place) for place, value in enumerate(values))
    return number, values, directions, size


def jax_difference(function, args, kwargs):
    """The slope by reverse mode in double precision, or what it is instead."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    def wide(value):
        floats = isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jnp.floating)
        return jnp.asarray(np.asarray(value, "float64")) if floats else value

    with jax.enable_x64(True):
        args, kwargs = jax.tree_util.tree_map(wide, (tuple(args), dict(kwargs)))
        number, values, direction, size = jax_question(function, args, kwargs)
        if number(*values).dtype != "float64":
            raise NotImplementedError("it rounds to another format")
        found = jax.grad(number, argnums=tuple(range(len(values))))(*values)
        slope = sum((g * d).sum() for g, d in zip(found, direction))

        def along(step):
            return float(number(*[v + step * d for v, d in zip(values, direction)]))

        return differences(along, float(slope), float(size))


def jax_forward(function):
    import jax
    import jax.numpy as jnp

    def second(*args, **kwargs):
        number, values, direction, size = jax_question(function, args, kwargs)
        try:
            slope = jax.jvp(number, values, direction)[1]
        except TypeError:  # it has no forward mode
            slope = jnp.asarray(jax_difference(function, args, kwargs), size.dtype)
        return jnp.stack([slope, size])

    return second


def jax_reverse(function):
    import jax
    import jax.numpy as jnp

    def first(*args, **kwargs):
        number, values, direction, size = jax_question(function, args, kwargs)
        found = jax.grad(number, argnums=tuple(range(len(values))))(*values)
        return jnp.stack([sum((g * d).sum() for g, d in zip(found, direction)), size])

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

    def results(*tensors):
        mine = list(given)
        for place, tensor in zip(places, tensors):
            mine[place] = tensor
        result = function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))
        floats = [x for x in tf.nest.flatten(result) if tf.is_tensor(x) and x.dtype.is_floating]
        if not floats:
            raise NotImplementedError("it has no float result")
        return floats

    def number(*tensors):
        return sum(tf.reduce_sum(wave(x, 1.0) * x) for x in results(*tensors))

    values = tuple(given[place] for place in places)
    # How large the results are: what is left where terms of the slope cancel out is nothing beside.
    size = sum(tf.reduce_sum(tf.abs(tf.cast(x, "float64"))) for x in results(*values))
    # Of each its own: what hangs on a difference of two would not move.
    directions = tuple(wave(value, 2.0 + place) for place, value in enumerate(values))
    return number, values, directions, size


def tensorflow_difference(function, args, kwargs):
    """The slope by reverse mode in double precision, or what it is instead."""
    import tensorflow as tf

    def wide(value):
        floats = tf.is_tensor(value) and value.dtype.is_floating
        return tf.cast(value, "float64") if floats else value

    args, kwargs = tf.nest.map_structure(wide, (tuple(args), dict(kwargs)))
    number, values, direction, size = tensorflow_question(function, args, kwargs)
    with tf.GradientTape() as tape:
        tape.watch(values)
        result = number(*values)
    if result.dtype != "float64":
        raise NotImplementedError("it rounds to another format")
    found = tape.gradient(result, values)
    terms = [tf.reduce_sum(tf.convert_to_tensor(g) * d)
             for g, d in zip(found, direction) if g is not None]  # fmt: skip
    if not terms:
        raise NotImplementedError("it has no gradient")

    def along(step):
        moved = [v if g is None else v + step * d for v, d, g in zip(values, direction, found)]
        return float(number(*moved))

    return tf.constant(differences(along, float(sum(terms)), float(size)), "float64")


def tensorflow_forward(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        number, values, direction, size = tensorflow_question(function, args, kwargs)
        found = None
        try:
            with tf.autodiff.ForwardAccumulator(list(values), list(direction)) as accumulator:
                result = number(*values)
            found = accumulator.jvp(result)
        except LookupError:
            pass  # its gradient has none, by which forward mode is made
        if found is None:
            found = tensorflow_difference(function, args, kwargs)
        # Where a result is no number there is no slope.
        slope = tf.where(tf.math.is_finite(size), tf.cast(found, "float64"), 0.0)
        return tf.stack([slope, size])

    return second


def tensorflow_reverse(function):
    import tensorflow as tf

    def first(*args, **kwargs):
        number, values, direction, size = tensorflow_question(function, args, kwargs)
        with tf.GradientTape() as tape:
            tape.watch(values)
            result = number(*values)
        found = tape.gradient(result, values, unconnected_gradients="zero")
        terms = [tf.cast(tf.convert_to_tensor(g) * d, "float64") for g, d in zip(found, direction)]
        slope = tf.where(tf.math.is_finite(size), sum(tf.reduce_sum(term) for term in terms), 0.0)
        return tf.stack([slope, size])

    return first


class Modes(Rule):
    """One number of each: the slope of a mix of all results, along a mix of all directions."""

    name = "modes"
    says = "forward-mode ≡ reverse-mode derivative"
    domain = (
        "functions of float tensors that can be differentiated both ways, or else are smooth "
        "(then by finite differences in float64), and whose documentation "
        "gives their gradient no other meaning (padding of embeddings, what indices name twice) "
        "and leaves no result open (what is masked out); of TensorFlow, where all are finite"
    )
    #: Gradients that are documented to be something else (of CTC: of what softmax gives), or that
    #: several elements write to.
    otherwise = ("embedding", "embedding_bag", "Embedding", "EmbeddingBag", "max_unpool1d",
                 "max_unpool2d", "max_unpool3d", "MaxUnpool1d", "MaxUnpool2d",
                 "MaxUnpool3d", "scatter", "index_copy", "index_put", "put", "ctc_loss",
                 "CTCLoss")  # fmt: skip
    #: "The values of masked-out elements of the output tensor have undefined value."
    left_open = ("torch.masked.",)
    any_format = True
    programs = {"torch": torch_forward, "jax": jax_forward, "tensorflow": tensorflow_forward}
    firsts = {"torch": torch_reverse, "jax": jax_reverse, "tensorflow": tensorflow_reverse}
    own_helpers = {
        "torch": (torch_question, torch_slope, torch_difference),
        "jax": (jax_question, jax_difference),
        "tensorflow": (tensorflow_question, tensorflow_difference),
    }
    helpers = (differences,)
    special = False
    raising = False

    def applies(self, facts):
        """There must be something to differentiate by."""
        named = facts.api.rpartition(".")[2] in self.otherwise
        if named or facts.api.startswith(self.left_open):
            return False
        return any("float" in item["dtype"] for item in facts.inputs)


RULE = Modes()
