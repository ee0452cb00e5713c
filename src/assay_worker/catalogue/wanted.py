"""Arguments that a guess asks for, before a library makes tensors of them."""

import collections
import itertools

import numpy as np

from assay_worker.recipes import derive

#: Numbers that are drawn lie in this range, if nothing else is said.
LOW, HIGH = -1.0, 1.0


class Wanted(object):
    """A tensor of a shape: numbers from ``low`` to ``high``, or ``values``.

    ``dtype`` None is the one that the call's main tensors have.
    """

    def __init__(self, shape, dtype=None, low=LOW, high=HIGH, values=None):
        self.shape = tuple(shape)
        self.dtype = dtype
        self.low = low
        self.high = high
        self.values = values

    def array(self, dtype, label):
        """Its numbers, the same for the same label; ``dtype`` is one of NumPy's."""
        dtype = np.dtype(dtype)
        if self.values is not None:
            return np.asarray(self.values).astype(dtype).reshape(self.shape)
        draws = np.random.RandomState(derive(0, label) % (1 << 31))
        low, high = self.low, self.high
        if dtype.kind == "b":
            return draws.random_sample(self.shape) < 0.5
        if dtype.kind in "iu":
            low, high = (0, 5) if (low, high) == (LOW, HIGH) else (low, high)
            return np.asarray(draws.randint(int(low), int(high) + 1, self.shape)).astype(dtype)
        numbers = low + (high - low) * draws.random_sample(self.shape)
        if dtype.kind == "c":
            numbers = numbers + 1j * (low + (high - low) * draws.random_sample(self.shape))
        return np.asarray(numbers).astype(dtype)


def tensor(*shape, **said):
    """A tensor of the main dtype, drawn from ``low`` to ``high``."""
    return Wanted(shape, said.get("dtype"), said.get("low", LOW), said.get("high", HIGH))


def holding(values, dtype=None):
    """A tensor that holds these values; whole numbers are int32."""
    array = np.asarray(values)
    usual = {"i": "int32", "b": "bool"}.get(array.dtype.kind)
    return Wanted(array.shape, dtype or usual, values=array)


class Named(object):
    """A public object of the library, by its path: a dtype, a function."""

    def __init__(self, path):
        self.path = path


class Made(object):
    """What a public callable of the library makes of its arguments: a sparse tensor, say."""

    def __init__(self, path, *arguments):
        self.path = path
        self.arguments = list(arguments)


def built(value, tensor, resolve):
    """An argument as the library takes it.

    ``tensor(wanted)`` makes a tensor, ``resolve(path)`` finds a public object.
    """
    if isinstance(value, Wanted):
        return tensor(value)
    if isinstance(value, Named):
        return resolve(value.path)
    if isinstance(value, Made):
        return resolve(value.path)(*built(value.arguments, tensor, resolve))
    if isinstance(value, dict):
        return {key: built(item, tensor, resolve) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([built(item, tensor, resolve) for item in value])
    return value


def likeliest(choices, most):
    """Combinations of one item of each list, those first that take the first items of most.

    No more than ``most``.
    """
    found = 0
    for total in range(sum(max(len(items) - 1, 0) for items in choices) + 1):
        for places in _places([len(items) for items in choices], total):
            yield [items[place] for items, place in zip(choices, places)]
            found += 1
            if found >= most:
                return


def _places(counts, total):
    """Places in lists of these lengths that sum up to ``total``."""
    if not counts:
        if not total:
            yield ()
        return
    for first in range(min(counts[0] - 1, total) + 1):
        for rest in _places(counts[1:], total - first):
            yield (first,) + rest


def interleaved(sources):
    """One item of each iterable in turn, until all have ended."""
    waiting = collections.deque(iter(source) for source in sources)
    while waiting:
        source = waiting.popleft()
        for item in itertools.islice(source, 1):
            yield item
            waiting.append(source)
