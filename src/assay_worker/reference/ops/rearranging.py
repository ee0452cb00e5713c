"""Elements in another order: axes moved, flipped, rotated, rolled."""

import numpy as np

from assay_worker.reference.registry import reference


@reference("keras.ops.rot90", integers=True)
def rot90(array, k=1, axes=(0, 1)):
    """Counterclockwise, ``k`` quarter turns."""
    return np.rot90(array, k=k, axes=axes)


@reference("keras.ops.roll", integers=True)
def roll(x, shift, axis=None):
    """Elements that leave at the end come back at the start."""
    return np.roll(x, shift, axis=axis)


@reference("keras.ops.flip", integers=True)
def flip(x, axis=None):
    """Reversed along the axes."""
    return np.flip(x, axis=axis)


@reference("keras.ops.transpose", integers=True)
def transpose(x, axes=None):
    """Axes in a new order, by default reversed."""
    return np.transpose(x, axes)


@reference("keras.ops.moveaxis", integers=True)
def moveaxis(x, source, destination):
    """Axes at new places, the others in their order."""
    return np.moveaxis(x, source, destination)


@reference("keras.ops.swapaxes", integers=True)
def swapaxes(x, axis1, axis2):
    """Two axes exchanged."""
    return np.swapaxes(x, axis1, axis2)


@reference("keras.ops.fliplr", integers=True)
def fliplr(x):
    """Reversed along the second axis."""
    return np.fliplr(x)


@reference("keras.ops.flipud", integers=True)
def flipud(x):
    """Reversed along the first axis."""
    return np.flipud(x)


def _terms(side):
    """The axes of one side of a pattern: each a list of names."""
    result, group = [], None
    for token in side.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            group = []
        elif token == ")":
            result.append(group)
            group = None
        elif group is not None:
            group.append(token)
        else:
            result.append([token])
    return result


@reference("keras.ops.rearrange", integers=True)
def rearrange(tensor, pattern, f=None):
    """Axes split, permuted and merged as the pattern says; ``f`` is a length it leaves open."""
    left, right = [_terms(side) for side in pattern.split("->")]
    if len(left) != tensor.ndim:
        raise ValueError("expected %d axes; received %r" % (tensor.ndim, pattern))
    names, lengths = [], []
    for term, length in zip(left, tensor.shape):
        for name in term:
            names.append(name)
            known = f if name == "f" else length // f if "f" in term else length
            lengths.append(known)
    order = [names.index(name) for term in right for name in term]
    if sorted(order) != list(range(len(names))) or len(set(names)) != len(names):
        raise ValueError("expected each axis once on both sides; received %r" % (pattern,))
    y = tensor.reshape(lengths).transpose(order)
    merged = [int(np.prod([lengths[names.index(name)] for name in term])) for term in right]
    return y.reshape(merged)
