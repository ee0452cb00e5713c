"""Calls of plain data, run as hunts run them."""

import collections
import contextlib
import re

import numpy as np

from assay_worker import calls, recipes
from assay_worker.catalogue import drawing
from assay_worker.catalogue._base import UNINITIALISED
from assay_worker.libraries._base import same_bits

#: Larger results are of no use to a hunt.
MOST_RESULT_ELEMENTS = 200000
_LENGTH = 200

#: A draw whose function is about to be called.
_Prepared = collections.namedtuple(
    "_Prepared", "function positional keywords tensors session unknown"
)


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
        #: Are its numbers whatever was in memory before? Then nothing is decided by them.
        self.unread = harvest.undefined(api) == UNINITIALISED
        #: What a library told of shapes.
        self._known = {}

    def seed(self):
        """The library's random numbers begin anew.

        Not before every run: TensorFlow then forgets its kernels, which costs more than most runs.
        """
        self.adapter.engine.seed(0)

    def run(self, call, choice):
        """The output's arrays of a draw."""
        try:
            arrays, unknown = self._run(call, choice)
        except Exception as error:  # whatever a library, or a recipe that does not fit, raises
            raise Invalid(told(error)) from error
        if self.unread:
            arrays = [np.zeros(array.shape, array.dtype) for array in arrays]
        kinds = {array.dtype.kind for array in arrays}
        if not arrays or kinds - set("biufc"):
            raise Invalid("gives what is no tensor")
        if sum(array.size for array in arrays) > MOST_RESULT_ELEMENTS:
            raise Invalid("gives a large tensor")
        empty = not any(array.size for array in arrays)
        if not tells(arrays) and (empty or not unknown):
            raise Invalid("gives nothing but an empty tensor" if empty else "gives only NaN")
        return arrays

    def works(self, call, choice):
        """Is this draw valid?"""
        try:
            self.run(call, choice)
        except Invalid:
            return False
        return True

    def fits(self, call, choice):
        """As ``works``, but where a library tells shapes and refusals for less, that is enough."""
        told = self._told(call, choice)
        return self.works(call, choice) if told is None else told and self.accepts(call, choice)

    def accepts(self, call, choice):
        """As ``works``, but where a library tells what it refuses for less, that is enough."""
        try:
            with self._prepared(call, choice, False) as made:
                told = self.harvest.accepts(made.function, made.positional, made.keywords)
        except Exception:  # whatever a library raises of arguments that it does not take
            return False
        return self.works(call, choice) if told is None else told

    def holds(self, call, choice):
        """As ``works``, with few shapes and dtypes where a library tells shapes for less.

        Values are then tried in draws nearby: that an axis has some elements more says nothing
        of them; that it has one or none does.
        """
        near = drawing.nearby(call, choice)
        if [(item.sizes, item.dtype) for item in near] != [(choice.sizes, choice.dtype)]:
            told = self._told(call, choice)
            if told is False or (told and all(self.works(call, item) for item in near)):
                return bool(told)
        return self.works(call, choice)

    def _told(self, call, choice):
        """Does a library tell shapes, and of which size? None if only running tells."""
        asked = repr(
            [call["params"], call["arguments"], sorted(choice.sizes.items()), choice.dtype]
            + [(item["shape"], item["dtype"]) for item in call["inputs"]]
        )
        if asked not in self._known:
            self._known[asked] = self._asked(call, choice)
        return self._known[asked]

    def _asked(self, call, choice):
        try:
            with self._prepared(call, choice, False) as made:
                shapes = self.harvest.shapes(made.function, made.positional, made.keywords)
        except Exception:  # whatever a library raises of arguments that it does not take
            return False
        if shapes is None:
            return None
        elements = sum(int(np.prod(shape)) for shape in shapes)
        return 0 < elements <= MOST_RESULT_ELEMENTS

    def _run(self, call, choice):
        """The output's arrays, and whether NaN went in, which may be all that comes out."""
        with self._prepared(call, choice, False) as made:
            result = made.function(*made.positional, **made.keywords)
            arrays = [self.adapter.engine.numpy(item) for item in self.adapter.flat(result)]
            return arrays, made.unknown

    @contextlib.contextmanager
    def _prepared(self, call, choice, gradient):
        """Function, arguments and session of a draw."""
        made = drawing.drawn(call, choice)
        arrays = {
            item["name"]: recipes.materialise(item["recipe"], item["shape"], item["dtype"])
            for item in made["inputs"]
        }
        with self.adapter.engine.session(gradient) as session, np.errstate(all="ignore"):
            function = self.adapter.construct(self.api, made["params"])
            session.dtypes = _cast(made["inputs"])
            tensors = {name: session.watched(name, arrays[name]) for name in arrays}
            positional, keywords = self._arguments(made["arguments"], tensors)
            unknown = any(bool(np.any(array != array)) for array in arrays.values())
            yield _Prepared(function, positional, keywords, tensors, session, unknown)

    def _arguments(self, arguments, tensors):
        positional, keywords = calls.parted(arguments)
        return (
            [calls.decoded(value, tensors, self.adapter) for value in positional],
            {key: calls.decoded(value, tensors, self.adapter) for key, value in keywords.items()},
        )

    def repeats(self, call, choice):
        """Do two runs give the same, one after the other?"""
        first, second = self.run(call, choice), self.run(call, choice)
        return len(first) == len(second) and all(
            same_bits(one, other) for one, other in zip(first, second)
        )

    def differentiable(self, call, choice):
        """Has the sum of its outputs a derivative by a main tensor?"""
        engine = self.adapter.engine
        if not engine.differentiable or not drawing.main_dtype(call).startswith(("f", "b")):
            return False
        try:
            with self._prepared(call, choice, True) as made:
                told = self.harvest.differentiable(made.function, made.positional, made.keywords)
                if told is not None:
                    return told
                outputs = self.adapter.flat(made.function(*made.positional, **made.keywords))
                terms = [
                    engine.dot(item, np.ones(tuple(item.shape), "float32"))
                    for item in outputs
                    if engine.floating(item)
                ]
                sources = [item for item in made.tensors.values() if engine.floating(item)]
                if not terms or not sources:
                    return False
                loss = terms[0]
                for term in terms[1:]:
                    loss = loss + term
                found = made.session.differentiate(loss, sources)
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
