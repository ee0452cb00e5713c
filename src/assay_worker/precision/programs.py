"""A call on a target in a number format, and on the reference in float64, for given arrays."""

import contextlib

import numpy as np

from assay_worker.engines._base import plain_context
from assay_worker.libraries._base import Question, at
from assay_worker.precision.formats import rounded


class Lacking(Exception):
    """The target has no such format, or the op gives no numbers."""


class Rounded(Question):
    """A case whose weights are numbers of a format, so that nobody rounds them differently."""

    def __init__(self, case, dtype):
        Question.__init__(self, case)
        self.dtype = dtype

    def weight(self, node, index, name, shape, dtype):
        """As of any question, rounded."""
        array = Question.weight(self, node, index, name, shape, dtype)
        return rounded(array, self.dtype).astype(array.dtype)


def _fixed(question, searched, dtype):
    """The inputs that are not searched, as float64 numbers of the format, or as they are."""
    drawn = question.inputs(question.case["inputs"])
    return {
        name: rounded(drawn[name], dtype) if drawn[name].dtype.kind == "f" else drawn[name]
        for name in drawn
        if name not in searched
    }


class TrueProgram(object):
    """The reference: arrays in float64 by name to outputs in float64."""

    def __init__(self, case, searched, dtype):
        from assay_worker.libraries.reference import ReferenceAdapter

        question = Rounded(case, dtype)
        self._program = ReferenceAdapter("", "eager").program(question)
        self._names = ["output:" + name for name in question.graph["outputs"]]
        self._fixed = _fixed(question, searched, dtype)

    def __call__(self, inputs):
        """The outputs of one call."""
        record = {}
        self._program(dict(self._fixed, **inputs), record)
        return [record[name] for name in self._names]


class TargetProgram(object):
    """The target: arrays in float64 by name, whose numbers are in the format, to outputs.

    Outputs are float64, too, or (``widened=False``) as they came; ``formats`` are their own, known
    after the first run. Those that are no floats are left out.
    """

    #: What the adapter is asked.
    question = Rounded

    def __init__(self, adapter, case, searched, dtype):
        self._adapter = adapter
        # Runtimes of files have none: arrays go in and out as they are.
        self._engine = getattr(adapter, "engine", None)
        self._case = case
        self._dtype = dtype
        self._programs = {}
        _require(self._engine, dtype)
        question = Rounded(case, dtype)
        self._names = ["output:" + name for name in question.graph["outputs"]]
        self._fixed = _fixed(question, searched, dtype)
        self.formats = None

    def __call__(self, inputs, widened=True):
        """The outputs of one call that are floats."""
        record, seen = {}, []
        arrays = dict(self._fixed, **inputs)
        stored = "float32" if self._dtype == "bfloat16" else self._dtype
        arrays = {
            name: arrays[name].astype(stored) if arrays[name].dtype.kind == "f" else arrays[name]
            for name in arrays
        }
        program = self._program(arrays)
        # The first run tells.
        with _watched(self._engine, seen) if self.formats is None else plain_context(None):
            program(arrays, record)
        outputs = [np.asarray(record[name]) for name in self._names]
        if self.formats is None:
            self.formats = [_format(output, seen) for output in outputs]
            if not any(self.formats):
                raise Lacking("gives no floats")
        pairs = zip(outputs, self.formats)
        kept = [output for output, known in pairs if known]
        return [output.astype("float64") for output in kept] if widened else kept

    def _program(self, arrays):
        """The program: one for all shapes, or where a file says the shapes one for each."""
        shapes = tuple((name, arrays[name].shape) for name in sorted(arrays))
        key = shapes if self._engine is None else ()
        if key not in self._programs:
            inputs = [
                dict(item, shape=list(arrays[item["name"]].shape))
                for item in self._case["graph"]["inputs"]
            ]
            case = dict(self._case, graph=dict(self._case["graph"], inputs=inputs))
            with at("build"):
                self._programs[key] = self._adapter.program(self.question(case, self._dtype))
        return self._programs[key]

    @property
    def fixed(self):
        """The inputs that are not searched, by name."""
        return self._fixed

    def told(self):
        """Of each output: is it measured?"""
        return [bool(known) for known in self.formats]


def _require(engine, dtype):
    """``Lacking`` if the engine makes something else of numbers in that format."""
    if engine is None:
        if dtype == "bfloat16":
            raise Lacking("has no bfloat16 here: arrays have none")
        return
    stored = "float32" if dtype == "bfloat16" else dtype
    try:
        tensor = engine.tensor(np.zeros(1, dtype=stored))
        if dtype == "bfloat16":
            tensor = engine.cast(tensor, dtype)
    except Exception as error:
        raise Lacking("has no %s: %s" % (dtype, str(error).strip().splitlines()[:1])) from error
    if _name(tensor) != dtype:
        raise Lacking("has no %s: it makes %s of it" % (dtype, _name(tensor)))


def _name(tensor):
    """The name of a tensor's dtype, whatever the library."""
    dtype = getattr(tensor, "dtype", None)
    return str(getattr(dtype, "name", dtype)).rpartition(".")[2]


@contextlib.contextmanager
def _watched(engine, seen):
    """Put the dtypes of all tensors that become arrays into ``seen``."""
    if engine is None:
        yield
        return
    plain = engine.numpy

    def numpy(tensor):
        seen.append(_name(tensor))
        return plain(tensor)

    engine.numpy = numpy
    try:
        yield
    finally:
        del engine.numpy


def _format(output, seen):
    """The format of an output; None if it is none of ours. Arrays have no bfloat16."""
    if output.dtype.kind != "f":
        return None
    if output.dtype.name == "float32" and "bfloat16" in seen:
        output = output.astype("float64")
        if np.all((rounded(output, "bfloat16") == output) | np.isnan(output)):
            return "bfloat16"
    return output.dtype.name
