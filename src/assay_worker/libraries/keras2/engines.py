"""The backends of Keras 2: how a graph gets its inputs, is compiled, and differentiated.

None has an eager mode. A program builds its graph once, with tensors that stand for
the arrays, and asks an engine for functions of these.
"""

import contextlib
import importlib
import os
import tempfile

import numpy as np

from assay_worker.libraries._base import NotOffered
from assay_worker.libraries.keras2.settings import VARIABLES


def prepare(backend):
    """Settle what a backend reads from the environment when it is imported.

    Keras' own settings come from its defaults, not from a file in the user's home.
    """
    os.environ["KERAS_BACKEND"] = backend
    os.environ["KERAS_HOME"] = tempfile.mkdtemp(prefix="keras2-")
    for name, value in VARIABLES.get(backend, {}).items():
        if os.environ.get(name, "1") == "1":  # one thread is too few
            os.environ[name] = value
    if backend == "theano":
        os.environ["THEANO_FLAGS"] += ",base_compiledir=" + tempfile.mkdtemp(prefix="theano-")


def create(backend, keras):
    """The engine of a backend."""
    kinds = {"tensorflow": TensorFlowEngine, "theano": TheanoEngine, "cntk": CntkEngine}
    return kinds[backend](keras)


class Engine(object):
    """What the backends share."""

    #: Does a kernel of a convolution lie reversed in its weight?
    flips_kernels = False
    #: Has it gradients of tensors between inputs and loss?
    differentiates_outputs = True

    def __init__(self, keras):
        self.keras = keras
        self.backend = keras.backend

    def fresh(self):
        """Forget earlier graphs. Layers compute as in inference unless told otherwise."""
        module = self.module()
        # What is named after layers, messages too, must not depend on what ran before: Keras
        # numbers its layers, and keeps the scopes of those that failed.
        module._UID_PREFIXES.clear()
        del module.NAME_SCOPE_STACK[:]
        self.backend.set_learning_phase(0)

    def module(self):
        """Keras' module of the backend."""
        return importlib.import_module("keras.backend.%s_backend" % self.backend.backend())

    def check(self, op, params):
        """``NotOffered`` for a call that this backend, as it is set up, does not have."""

    @contextlib.contextmanager
    def building(self):
        """What is built inside becomes part of the graph."""
        yield

    def input(self, name, shape, dtype, use, batch):
        """The tensor that stands for an input of the graph.

        ``use`` says what reads it: ``"tensor"``, ``"ids"``, ``"mask"`` or ``"weight"`` (which
        has no batch). The length of the batch is left open, as users leave it, unless
        ``batch`` says that it must be known.
        """
        if not shape:
            return self.backend.placeholder(shape=(), dtype=dtype)
        shape = tuple(shape) if batch or use == "weight" else (None,) + tuple(shape[1:])
        return self.keras.layers.Input(batch_shape=shape, dtype=dtype, name=name)

    def companion(self, array, beside):
        """The tensor that stands for an array which belongs to the tensor ``beside``."""
        return self.backend.placeholder(shape=array.shape, dtype=array.dtype.name)

    def floating(self, tensor):
        """Can it be differentiated?"""
        return "float" in self.backend.dtype(tensor)

    def copied(self, tensor):
        """Another tensor of the same value. Theano knows shapes only as far as Keras notes them."""
        found = self.backend.identity(tensor)
        shape = self.backend.int_shape(tensor)
        if shape is not None:
            found._keras_shape = shape
        return found

    def total(self, tensor):
        """The sum of all elements."""
        return self.backend.sum(tensor)

    def function(self, inputs, outputs, updates=()):
        """A callable from arrays for ``inputs`` to a list of arrays for ``outputs``."""
        compiled = self.backend.function(list(inputs), list(outputs), updates=list(updates))
        return lambda arrays: [np.asarray(value) for value in compiled(list(arrays))]

    def differentiated(self, inputs, loss, sources):
        """A callable from arrays to the loss, and a gradient (or None) for each source."""
        found = (
            self.gradients(loss, list(sources)) if self.floating(loss) else [None] * len(sources)
        )
        present = [place for place, value in enumerate(found) if value is not None]
        run = self.function(inputs, [loss] + [found[place] for place in present])

        def graded(arrays):
            values = run(arrays)
            gradients = [None] * len(found)
            for place, value in zip(present, values[1:]):
                gradients[place] = value
            return values[0], gradients

        return graded

    def gradients(self, loss, sources):
        """Symbolic gradients, None where there is none."""
        raise NotImplementedError


class TensorFlowEngine(Engine):
    """TensorFlow 1 or 2, in a graph either way."""

    def fresh(self):
        """See ``Engine``. The learning phase is a tensor whose default is inference: recurrent
        layers of Keras 2.3.1 fail where it is a number.
        """
        self.backend.clear_session()

    def building(self):
        """See ``Engine``. Outside, TensorFlow 2 would compute at once and keep only numbers."""
        return self.graph().as_default()

    def gradients(self, loss, sources):
        """See ``Engine``; slices of embeddings are made dense."""
        import tensorflow

        found = self.backend.gradients(loss, sources) if sources else []
        dense = tensorflow.convert_to_tensor
        with self.building():
            return [None if value is None else dense(value) for value in found]

    def graph(self):
        """The graph that Keras builds in."""
        import tensorflow

        getter = getattr(self.module(), "get_graph", None)
        return getter() if getter is not None else tensorflow.get_default_graph()


class TheanoEngine(Engine):
    """Theano: convolutions are true ones, so that kernels lie reversed."""

    flips_kernels = True

    def __init__(self, keras):
        super(TheanoEngine, self).__init__(keras)
        import theano

        self.theano = theano

    def check(self, op, params):
        """See ``Engine``.

        What Theano 1.0.4 does in Python where it has no compiler is not what it does in C: the
        gradient of a dilated kernel has the shape of the kernel with its gaps.
        """
        rate = params.get("dilation_rate", 1)
        rates = rate if isinstance(rate, (list, tuple)) else (rate,)
        if not self.theano.config.cxx and any(item not in (0, 1) for item in rates):
            raise NotOffered("%s: Theano does not dilate without a compiler" % op)

    def gradients(self, loss, sources):
        """See ``Engine``."""
        if not sources:
            return []
        return self.theano.grad(
            loss, sources, disconnected_inputs="ignore", return_disconnected="None"
        )

    def differentiated(self, inputs, loss, sources):
        """See ``Engine``. Some of Theano's gradients exist in C only."""
        graded = super(TheanoEngine, self).differentiated(inputs, loss, sources)

        def run(arrays):
            try:
                return graded(arrays)
            except NotImplementedError as error:
                if self.theano.config.cxx:
                    raise
                line = str(error).splitlines()[0]
                message = "Theano has no such gradient without a compiler: %s" % line
                raise NotOffered(message) from error

        return run


class CntkEngine(Engine):
    """CNTK: floats only, and the first axis of every input is the batch."""

    differentiates_outputs = False

    def __init__(self, keras):
        super(CntkEngine, self).__init__(keras)
        import cntk

        self.cntk = cntk
        self._weights = {}  # inputs that are parameters, by their identifiers

    def fresh(self):
        """See ``Engine``."""
        self.backend.clear_session()
        super(CntkEngine, self).fresh()
        self._weights = {}

    def input(self, name, shape, dtype, use, batch):
        """See ``Engine``. Ids and masks are floats, as Keras itself feeds them."""
        if not shape or 0 in shape:
            raise NotOffered("CNTK takes batches of one or more; received shape %s" % (shape,))
        if dtype != "float32" and use == "tensor":
            raise NotOffered("CNTK computes with floats only; received %s" % dtype)
        if use == "weight":
            found = self.backend.variable(np.zeros(shape, dtype="float32"))
            self._weights[found.uid] = found
            return found
        tensor = self._placeholder(shape, batch)
        return self.keras.layers.Input(tensor=tensor, name=name)

    def _placeholder(self, shape, batch=False):
        # As Keras makes one, but with a gradient.
        tensor = self.cntk.input_variable(
            shape=tuple(shape[1:]), dtype=np.float32, needs_gradient=True
        )
        tensor._keras_shape = (shape[0] if batch else None,) + tuple(shape[1:])
        tensor._uses_learning_phase = False
        tensor._cntk_placeholder = True
        return tensor

    def companion(self, array, beside):
        """See ``Engine``; without a batch beside it, a parameter."""
        if len(beside.dynamic_axes):
            return self._placeholder(array.shape)
        found = self.backend.variable(np.zeros(array.shape, dtype="float32"))
        self._weights[found.uid] = found
        return found

    def floating(self, tensor):
        """Everything is a float."""
        return True

    def function(self, inputs, outputs, updates=()):
        """See ``Engine``."""
        placeholders = [tensor for tensor in inputs if tensor.uid not in self._weights]
        run = super(CntkEngine, self).function(placeholders, outputs, updates)
        return lambda arrays: run(self._fed(inputs, arrays))

    def _fed(self, inputs, arrays):
        """The arrays of placeholders, after those of parameters were assigned."""
        fed = []
        for tensor, array in zip(inputs, arrays):
            if tensor.uid in self._weights:
                self.backend.set_value(tensor, array)
            else:
                fed.append(array)
        return fed

    def differentiated(self, inputs, loss, sources):
        """See ``Engine``. Only inputs and weights have gradients, tensors between do not."""
        value = self.function(inputs, [loss])
        known = {item.uid for item in loss.arguments} | {item.uid for item in loss.parameters}
        wanted = [item for item in sources if item.uid in known]
        placeholders = [tensor for tensor in inputs if tensor.uid not in self._weights]

        def graded(arrays):
            (computed,) = value(arrays)
            fed = dict(zip(placeholders, self._fed(inputs, arrays)))
            fed = {item: fed[item].astype("float32") for item in loss.arguments}
            found = loss.grad(fed, wrt=wanted) if wanted else {}
            if len(wanted) == 1 and not isinstance(found, dict):
                found = {wanted[0]: found}
            by_uid = {item.uid: np.asarray(array) for item, array in found.items()}
            return computed, [by_uid.get(item.uid) for item in sources]

        return graded
