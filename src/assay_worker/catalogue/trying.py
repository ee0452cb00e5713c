"""Calls of plain data, run as hunts run them."""

import re

import numpy as np

from assay_worker import calls, recipes
from assay_worker.catalogue import drawing
from assay_worker.eager import flatten
from assay_worker.libraries._base import same_bits

#: Larger results are of no use to a hunt.
MOST_RESULT_ELEMENTS = 200000
_LENGTH = 200


class Invalid(Exception):
    """A draw that is not valid: it raises, or its output tells nothing."""


def told(error):
    """An error in one line, the same in every process."""
    text = "%s: %s" % (type(error).__name__, error) if not isinstance(error, Invalid) else error
    text = re.sub(r"0x[0-9a-fA-F]+", "0x…", " ".join(str(text).split()))
    return text[:_LENGTH]


class Trying(object):
    """Runs an API's calls. ``Invalid`` says why one is not valid."""

    def __init__(self, harvest, api):
        self.harvest = harvest
        self.adapter = harvest.adapter
        self.api = api

    def run(self, call, choice, seed=0):
        """The output's arrays of a draw; ``seed`` is that of the library's random numbers."""
        try:
            arrays = self._run(call, choice, seed)
        except Exception as error:  # whatever a library, or a recipe that does not fit, raises
            raise Invalid(told(error)) from error
        kinds = {array.dtype.kind for array in arrays}
        if not arrays or kinds - set("biufc"):
            raise Invalid("gives what is no tensor")
        if sum(array.size for array in arrays) > MOST_RESULT_ELEMENTS:
            raise Invalid("gives a large tensor")
        if not tells(arrays):
            empty = not any(array.size for array in arrays)
            raise Invalid("gives nothing but an empty tensor" if empty else "gives only NaN")
        return arrays

    def works(self, call, choice):
        """Is this draw valid?"""
        try:
            self.run(call, choice)
        except Invalid:
            return False
        return True

    def _run(self, call, choice, seed):
        made = drawing.drawn(call, choice)
        arrays = {
            item["name"]: recipes.materialise(item["recipe"], item["shape"], item["dtype"])
            for item in made["inputs"]
        }
        engine = self.adapter.engine
        with engine.session(False) as session, np.errstate(all="ignore"):
            function = self.adapter.construct(self.api, made["params"])
            session.dtypes = _cast(made["inputs"])
            tensors = {name: session.watched(name, arrays[name]) for name in arrays}
            positional, keywords = self._arguments(made["arguments"], tensors)
            engine.seed(seed)
            result = function(*positional, **keywords)
            return [engine.numpy(item) for item in flatten(result)]

    def _arguments(self, arguments, tensors):
        positional, keywords = calls.parted(arguments)
        return (
            [calls.decoded(value, tensors, self.adapter) for value in positional],
            {key: calls.decoded(value, tensors, self.adapter) for key, value in keywords.items()},
        )

    def repeats(self, call, choice):
        """Do two runs give the same, whatever the seed of the library's random numbers is?"""
        first, second = self.run(call, choice, 0), self.run(call, choice, 1)
        return len(first) == len(second) and all(
            same_bits(one, other) for one, other in zip(first, second)
        )

    def differentiable(self, call, choice):
        """Has the sum of its outputs a derivative by a main tensor?"""
        made = drawing.drawn(call, choice)
        engine = self.adapter.engine
        if not engine.differentiable or not drawing.main_dtype(call).startswith(("f", "b")):
            return False
        try:
            with engine.session(True) as session:
                function = self.adapter.construct(self.api, made["params"])
                session.dtypes = _cast(made["inputs"])
                tensors = {}
                for item in made["inputs"]:
                    array = recipes.materialise(item["recipe"], item["shape"], item["dtype"])
                    tensors[item["name"]] = session.watched(item["name"], array)
                positional, keywords = self._arguments(made["arguments"], tensors)
                outputs = flatten(function(*positional, **keywords))
                terms = [
                    engine.dot(item, np.ones(tuple(item.shape), "float32"))
                    for item in outputs
                    if engine.floating(item)
                ]
                sources = [item for item in tensors.values() if engine.floating(item)]
                if not terms or not sources:
                    return False
                loss = terms[0]
                for term in terms[1:]:
                    loss = loss + term
                found = session.differentiate(loss, sources)
        except Exception:  # a library may refuse in any way: then it has none
            return False
        return any(item is not None for item in found)


def _cast(inputs):
    """Dtypes that arrays do not have, by input."""
    return {item["name"]: item["dtype"] for item in inputs if item["dtype"] == "bfloat16"}


def tells(arrays):
    """Is some output neither empty nor all NaN?"""
    return any(
        array.size and not (array.dtype.kind in "fc" and np.all(array != array)) for array in arrays
    )


def unknown_share(arrays):
    """The share of NaN among the floating elements of an output."""
    floating = [array for array in arrays if array.dtype.kind in "fc"]
    total = sum(array.size for array in floating)
    return sum(int(np.sum(array != array)) for array in floating) / float(total or 1)
