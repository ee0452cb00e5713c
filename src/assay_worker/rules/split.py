"""A function of single elements gives the same for the parts of a tensor as for the whole."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import ELEMENTWISE, ELEMENTWISE_IN, is_of, ranks


def torch_parts(function):
    import torch

    def second(*args, **kwargs):
        values = list(args) + list(kwargs.values())
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        rank = max(tensor.dim() for tensor in tensors)
        length = max(tensor.shape[0] for tensor in tensors if tensor.dim() == rank) if rank else 0
        if length < 2:
            raise NotImplementedError("nothing to split")

        def part(value, start, stop):
            splits = isinstance(value, torch.Tensor) and value.dim() == rank
            return value[start:stop] if splits and value.shape[0] == length else value

        results = []
        for ends in ((0, 1), (1, length)):
            named = {key: part(value, *ends) for key, value in kwargs.items()}
            results.append(function(*[part(value, *ends) for value in args], **named))
        if isinstance(results[0], tuple):
            return tuple(torch.cat(pieces) for pieces in zip(*results))
        return torch.cat(results)

    return second


def tensorflow_parts(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        values = list(args) + list(kwargs.values())
        tensors = [value for value in values if isinstance(value, tf.Tensor)]
        rank = max(len(tensor.shape) for tensor in tensors)
        firsts = [tensor.shape[0] for tensor in tensors if len(tensor.shape) == rank and rank]
        length = max(firsts + [0])
        if length < 2:
            raise NotImplementedError("nothing to split")

        def part(value, start, stop):
            splits = isinstance(value, tf.Tensor) and len(value.shape) == rank
            return value[start:stop] if splits and value.shape[0] == length else value

        results = []
        for ends in ((0, 1), (1, length)):
            named = {key: part(value, *ends) for key, value in kwargs.items()}
            results.append(function(*[part(value, *ends) for value in args], **named))
        if isinstance(results[0], (tuple, list)):
            return tuple(tf.concat(pieces, 0) for pieces in zip(*results))
        return tf.concat(results, 0)

    return second


def jax_parts(function):
    import jax
    import jax.numpy as jnp

    def second(*args, **kwargs):
        values = list(args) + list(kwargs.values())
        tensors = [value for value in values if isinstance(value, jax.Array)]
        rank = max(tensor.ndim for tensor in tensors)
        length = max([tensor.shape[0] for tensor in tensors if tensor.ndim == rank and rank] + [0])
        if length < 2:
            raise NotImplementedError("nothing to split")

        def part(value, start, stop):
            splits = isinstance(value, jax.Array) and value.ndim == rank
            return value[start:stop] if splits and value.shape[0] == length else value

        results = []
        for ends in ((0, 1), (1, length)):
            named = {key: part(value, *ends) for key, value in kwargs.items()}
            results.append(function(*[part(value, *ends) for value in args], **named))
        if isinstance(results[0], tuple):
            return tuple(jnp.concatenate(pieces) for pieces in zip(*results))
        return jnp.concatenate(results)

    return second


def keras_parts(function):
    import keras

    def second(*args, **kwargs):
        tensors = [value for value in args if keras.ops.is_tensor(value)]
        rank = max(len(tensor.shape) for tensor in tensors)
        firsts = [tensor.shape[0] for tensor in tensors if len(tensor.shape) == rank and rank]
        length = max(firsts + [0])
        if length < 2:
            raise NotImplementedError("nothing to split")

        def part(value, start, stop):
            splits = keras.ops.is_tensor(value) and len(value.shape) == rank
            return value[start:stop] if splits and value.shape[0] == length else value

        results = []
        for ends in ((0, 1), (1, length)):
            results.append(function(*[part(value, *ends) for value in args], **kwargs))
        return keras.ops.concatenate(results)

    return second


class Split(Rule):
    """The first along the first axis, and the others: other places in vectors of the processor."""

    name = "split"
    says = "f(x) ≡ f of two parts of x, joined"
    domain = (
        "functions of single elements, given as tensors and single numbers, with more than one "
        "element along the first axis"
    )
    programs = {
        "torch": torch_parts,
        "tensorflow": tensorflow_parts,
        "jax": jax_parts,
        "keras": keras_parts,
    }

    def applies(self, facts):
        """Some tensor must have an axis to split."""
        whole = is_of(facts, ELEMENTWISE, ELEMENTWISE_IN) and not facts.has("out")
        # A list of numbers would be one for each of what is split.
        listed = any(isinstance(value, (list, tuple)) for value in facts.arguments.values())
        return whole and not listed and max(ranks(facts) + [0]) > 0


RULE = Split()
