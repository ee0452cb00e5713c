"""Calls of public TensorFlow functions that may work, made of their signatures."""

import inspect

from assay_worker.catalogue import tensorflow_facts
from assay_worker.catalogue.wanted import Wanted, interleaved, likeliest

#: Arguments that say nothing about the result.
_UNTOLD = ("name", "out", "swap_memory", "validate_args")
#: Arguments that are lists of tensors.
_LISTS = (
    "inputs_",
    "values",
    "arys",
    "arrays",
    "tup",
    "t_list",
    "condlist",
    "choicelist",
    "tensors",
)
#: Guesses for one profile, and at all.
_OF_A_PROFILE = 6
_MOST = 60


def guesses(path, function):
    """Positional and keyword arguments of calls that may work, the likeliest first."""
    found = []
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built in: nothing says what it takes
        return found
    needed = [item for item in parameters if _needed(item)]
    # Every argument of some functions has a default, of which none works.
    if not needed:
        found.append(((), {}))
        needed = [item for item in parameters if item.name not in _UNTOLD][:1]
    for dtype in (None, "int32", "bool", "complex64"):
        sources = [_beside(needed, shape, dtype) for shape in tensorflow_facts.PROFILES]
        for guess in interleaved(sources):
            if len(found) >= _MOST:
                return found
            found.append(guess)
    return found


def _needed(item):
    if item.name in _UNTOLD or item.kind == item.VAR_KEYWORD:
        return False
    return item.default is item.empty


def _beside(parameters, shape, dtype):
    """Calls with main tensors of a shape and dtype."""
    choices = [_argument(item, shape, dtype) for item in parameters]
    most = 2 if dtype is not None else _OF_A_PROFILE
    for values in likeliest(choices, most):
        positional, keywords = [], {}
        for item, value in zip(parameters, values):
            if item.kind == item.VAR_POSITIONAL:
                positional.extend([value, value])
            elif item.kind == item.KEYWORD_ONLY:
                keywords[item.name] = value
            else:
                positional.append(value)
        yield tuple(positional), keywords


def _argument(item, shape, dtype):
    """What an argument may be."""
    found = tensorflow_facts.known(item.name, shape)
    if found is None:
        found = tensorflow_facts.tensors(shape)
        if item.name in _LISTS:
            found = [[value, value] for value in found]
    return [_typed(value, dtype) for value in found]


def _typed(value, dtype):
    if isinstance(value, list):
        return [_typed(item, dtype) for item in value]
    if isinstance(value, Wanted) and value.dtype is None and dtype is not None:
        return Wanted(value.shape, dtype, value.low, value.high, value.values)
    return value
