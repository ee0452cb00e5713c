"""Along an axis that was moved elsewhere, a function gives the same."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import ALONG_AXIS, ALONG_AXIS_IN, given, is_of, ranks


def torch_moved(function):
    import torch

    def second(tensor, *args, **kwargs):
        positional = list(args)
        word = "axis" if "axis" in kwargs else "dim"
        axis = positional.pop(0) if positional else kwargs[word]
        axis = axis[0] if isinstance(axis, tuple) else axis
        # First where it was last, and last where it was elsewhere.
        target = 0 if axis % tensor.dim() == tensor.dim() - 1 else tensor.dim() - 1
        moved = torch.movedim(tensor, axis, target).contiguous()
        named = dict(kwargs, **{word: target})
        if positional:
            named.pop(word)
            positional.insert(0, target)
        result = function(moved, *positional, **named)
        kept = result.dim() == tensor.dim()
        return torch.movedim(result, target, axis) if kept else result

    return second


def tensorflow_moved(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        positional = list(args)
        named = dict(kwargs)
        tensor = positional.pop(0) if positional else named.pop(next(iter(named)))
        axis = positional.pop(0) if positional else named.pop("axis")
        (axis,) = axis if isinstance(axis, tuple) else (axis,)
        rank = len(tensor.shape)
        target = 0 if axis % rank == rank - 1 else rank - 1
        others = [i for i in range(rank) if i != axis % rank]
        order = others[:target] + [axis % rank] + others[target:]
        # tf.reverse takes a list of axes.
        told = [target] if "reverse" in function.__name__ else target
        result = function(tf.transpose(tensor, order), told, *positional, **named)
        if len(result.shape) < rank:
            return result
        return tf.transpose(result, [order.index(i) for i in range(rank)])

    return second


def jax_moved(function):
    import jax.numpy as jnp

    def second(tensor, *args, **kwargs):
        positional = list(args)
        axis = positional.pop(0) if positional else kwargs["axis"]
        axis = axis[0] if isinstance(axis, tuple) else axis
        target = 0 if axis % tensor.ndim == tensor.ndim - 1 else tensor.ndim - 1
        named = dict(kwargs, axis=target)
        result = function(jnp.moveaxis(tensor, axis, target), *positional, **named)
        kept = result.ndim == tensor.ndim
        return jnp.moveaxis(result, target, axis) if kept else result

    return second


def keras_moved(function):
    import keras

    def second(tensor, axis, **kwargs):
        rank = len(tensor.shape)
        axis = axis[0] if isinstance(axis, (tuple, list)) else axis
        target = 0 if axis % rank == rank - 1 else rank - 1
        result = function(keras.ops.moveaxis(tensor, axis, target), axis=target, **kwargs)
        kept = len(result.shape) == rank
        return keras.ops.moveaxis(result, target, axis) if kept else result

    return second


class Moved(Rule):
    """Kernels choose by which axis it is: the last, the first, or one between."""

    name = "moved"
    says = "f along an axis ≡ f along another one, of the transposed tensor"
    domain = "sums, extremes, scans, softmax and the like along one axis of at least two"
    programs = {
        "torch": torch_moved,
        "tensorflow": tensorflow_moved,
        "jax": jax_moved,
        "keras": keras_moved,
    }

    #: Sums of huge numbers overflow by their order.
    special = False

    def applies(self, facts):
        """One tensor of several axes, and one axis, told."""
        if not is_of(facts, ALONG_AXIS, ALONG_AXIS_IN) or facts.has("out"):
            return False
        axis = given(facts, "dim", 1)
        axis = given(facts, "axis", 1) if axis is None else axis
        axis = axis[0] if isinstance(axis, (list, tuple)) and len(axis) == 1 else axis
        told = isinstance(axis, int) and not isinstance(axis, bool)
        return told and len(facts.inputs) == 1 and ranks(facts)[0] > 1


RULE = Moved()
