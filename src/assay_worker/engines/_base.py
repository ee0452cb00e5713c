"""The contract of an engine.

A session lives for one run. It watches the inputs, calls the steps, and then
gives the gradient of the loss with respect to every input, node output and
trainable weight at once.
"""

import contextlib

import numpy as np

from assay_worker import machine


def cut(name, tensor):
    """A gradient that the library has none of: zeros to compare, and a mark that says so."""
    zeros = np.zeros(tuple(tensor.shape), dtype="float32")
    return {name: zeros, "absent:" + name: np.zeros(0, dtype="float32")}


@contextlib.contextmanager
def plain_context(value):
    """A context manager that gives ``value``."""
    yield value


class Conversions(object):
    """From arrays to tensors and back, for a library whose tensors are arrays."""

    def tensor(self, array):
        """A library tensor of an array."""
        # A copy, so that an op that writes to its input cannot change ours.
        return array.copy()

    def numpy(self, tensor):
        """An array of a library tensor."""
        return np.asarray(tensor)


class Session(object):
    """A run without gradients."""

    def __init__(self, engine):
        self.engine = engine
        #: Dtypes that arrays do not have, by input: those come as float32.
        self.dtypes = {}

    def tensor(self, name, array):
        """A tensor of an input's array, of the input's dtype."""
        tensor = self.engine.tensor(array)
        return self.engine.cast(tensor, self.dtypes[name]) if name in self.dtypes else tensor

    def watched(self, name, array):
        """The input as a tensor."""
        return self.tensor(name, array)

    def call(self, step, positional, keywords):
        """The result of a step's call."""
        return step.function(*positional, **keywords)

    def produced(self, names, tensors):
        """A step's output tensors as the steps behind it get them.

        Whatever the step did to the gradient, theirs is measured.
        """
        return tensors

    def state(self, step):
        """Values of a step's non-trainable weights after its call."""
        # Copies: the next run assigns the same weights again.
        return [np.array(self.engine.numpy(weight.value)) for weight in step.state]

    def loss(self, program, outputs):
        """The loss as a tensor."""
        return program.loss_value(outputs)

    def gradients(self, loss, tensors, inputs, steps):
        """Named gradient arrays."""
        raise NotImplementedError("this engine has no gradients")


class TapeSession(Session):
    """Gradients from one differentiation over all wanted tensors."""

    def gradients(self, loss, tensors, inputs, steps):
        """One call for inputs, node outputs and trainable weights."""
        names, sources = [], []
        for name, tensor in tensors.items():
            if self.engine.floating(tensor):
                names.append("gradient:%s:%s" % ("input" if name in inputs else "output", name))
                sources.append(tensor)
        for step in steps:
            for index, weight in enumerate(step.trainable):
                names.append("gradient:weight:%s:%d" % (step.id, index))
                sources.append(weight.value)
        found = self.differentiate(loss, sources)
        gradients = {}
        for name, source, value in zip(names, sources, found):
            if value is None:
                gradients.update(cut(name, source))
            else:
                gradients[name] = self.engine.numpy(value)
        return gradients

    def differentiate(self, loss, sources):
        """The gradient with respect to each source; None where there is none."""
        raise NotImplementedError


class Engine(object):
    """Forward only. ``conversions`` say how a library makes its tensors, if not as the engine."""

    differentiable = False
    #: Modes besides eager.
    modes = ()

    def __init__(self, conversions=None):
        self.conversions = conversions or Conversions()

    def settings(self):
        """What changes its numbers, by name, in words; see ``assay_worker.machine``."""

        def half(array):
            return self.numpy(self.tensor(array) * 0.5)

        return machine.told("subnormals", lambda: {"subnormals": machine.subnormals(half)})

    def session(self, gradient):
        """A context manager that gives a ``Session``."""
        return plain_context(Session(self))

    def tensor(self, array):
        """A library tensor of an array."""
        return self.conversions.tensor(array)

    def placed(self, array):
        """The array as this engine computes with it soonest, for whoever makes a tensor of it."""
        return array

    def cast(self, tensor, dtype):
        """The tensor in a dtype that NumPy lacks."""
        raise NotImplementedError("this engine has no %s" % dtype)

    def numpy(self, tensor):
        """A numpy array of a library tensor, bfloat16 widened."""
        array = np.asarray(self.conversions.numpy(tensor))
        # ml_dtypes' types (bfloat16, float8) are unknown to the host.
        return array.astype("float32") if array.dtype.kind == "V" else array

    def floating(self, tensor):
        """Can it be differentiated?"""
        return np.asarray(tensor).dtype.kind == "f"

    def seed(self, number):
        """Let its random numbers begin anew."""

    def operators(self, recorder):
        """A context manager in which an ``inside.Operators`` is told of each operator that runs.

        An engine that cannot see its own tells nothing.
        """
        return plain_context(None)

    def dot(self, output, weights):
        """The sum of an output's elements, each times its weight, as a tensor."""
        return (output * np.asarray(weights, dtype=output.dtype)).sum()

    def compiled(self, forward, mode, names, floating, gradient):
        """``run(inputs, weights)`` of a compiled ``forward(tensors, weights) -> outputs, loss``.

        ``names`` are those of the inputs, ``floating`` of those to differentiate by. It gives
        outputs, loss, and gradients by input and by weight.
        """
        raise ValueError("unknown mode %r" % mode)
