"""TensorFlow: one gradient tape; ``tf.function`` with XLA or without."""

import contextlib
import importlib

import tensorflow

from assay_worker import machine
from assay_worker.engines._base import Conversions, Engine, Session, TapeSession

#: What quantized numbers of so many bytes are told as: NumPy has none.
_WHOLE = {1: "uint8", 2: "int16", 4: "int32"}


def onednn():
    """Whether oneDNN's kernels are used, as TensorFlow itself decided."""
    # Of a private module, since no public one says it; there from 2.5 on.
    ports = importlib.import_module("tensorflow.python.util._pywrap_util_port")
    return {"oneDNN": "on" if ports.IsMklEnabled() else "off"}


class _Conversions(Conversions):
    def tensor(self, array):
        return tensorflow.constant(array)

    def numpy(self, tensor):
        return tensor.numpy() if tensorflow.is_tensor(tensor) else tensor


class TensorFlowEngine(Engine):
    """See ``Engine``."""

    differentiable = True
    modes = ("graph", "xla")

    def __init__(self, conversions=None):
        super(TensorFlowEngine, self).__init__(conversions or _Conversions())
        self.tensorflow = tensorflow

    def settings(self):
        """See ``Engine``; also whether oneDNN's kernels are used."""
        found = super(TensorFlowEngine, self).settings()
        found.update(machine.told("oneDNN", onednn))
        return found

    @contextlib.contextmanager
    def session(self, gradient):
        """Under a tape if gradients are wanted."""
        if not gradient:
            yield Session(self)
            return
        with tensorflow.GradientTape() as tape:
            yield _TensorFlowSession(self, tape)

    def floating(self, tensor):
        """Can it be differentiated?"""
        return tensorflow.is_tensor(tensor) and tensor.dtype.is_floating

    def numpy(self, tensor):
        """Dense; sparse gradients (IndexedSlices) are summed up."""
        if isinstance(tensor, tensorflow.IndexedSlices):
            tensor = tensorflow.convert_to_tensor(tensor)
        dtype = getattr(tensor, "dtype", None)
        if dtype == tensorflow.bfloat16:
            tensor = tensorflow.cast(tensor, "float32")  # NumPy takes no scalar of it
        elif tensorflow.is_tensor(tensor) and dtype.is_quantized:
            tensor = tensorflow.bitcast(tensor, _WHOLE[dtype.size])
        return super(TensorFlowEngine, self).numpy(tensor)

    def cast(self, tensor, dtype):
        """See ``Engine``."""
        return tensorflow.cast(tensor, dtype)

    def seed(self, number):
        """See ``Engine``."""
        tensorflow.random.set_seed(number)

    @contextlib.contextmanager
    def operators(self, recorder):
        """See ``Engine``: what is executed eagerly."""
        callbacks = importlib.import_module("tensorflow.python.framework.op_callbacks")

        def told(op_type, inputs, attrs, outputs, op_name=None, graph=None):
            recorder.gave(recorder.given("tf.raw_ops." + op_type, inputs), outputs)

        callbacks.add_op_callback(told)
        try:
            yield
        finally:
            callbacks.remove_op_callback(told)

    def dot(self, output, weights):
        """See ``Engine``."""
        return tensorflow.reduce_sum(output * tensorflow.constant(weights, dtype=output.dtype))

    def compiled(self, forward, mode, names, floating, gradient):
        """See ``Engine``."""

        def function(tensors, weights):
            if not gradient:
                outputs, loss = forward(tensors, weights)
                return outputs, loss, [], []
            sources = [tensor for name, tensor in zip(names, tensors) if name in floating]
            with tensorflow.GradientTape() as tape:
                tape.watch(sources)
                tape.watch(weights)
                outputs, loss = forward(tensors, weights)
            found = tape.gradient(
                loss,
                sources + weights,
                unconnected_gradients=tensorflow.UnconnectedGradients.ZERO,
            )
            return outputs, loss, found[: len(sources)], found[len(sources) :]

        compiled = tensorflow.function(function, autograph=False, **_xla(mode))

        def run(inputs, weights):
            tensors = [tensorflow.constant(inputs[name]) for name in names]
            return compiled(tensors, [tensorflow.convert_to_tensor(weight) for weight in weights])

        return run


def _xla(mode):
    # What TensorFlow 2.0 does not know is only said where it is wanted.
    return {"jit_compile": True} if mode == "xla" else {}


class _TensorFlowSession(TapeSession):
    def __init__(self, engine, tape):
        super(_TensorFlowSession, self).__init__(engine)
        self.tape = tape

    def watched(self, name, array):
        tensor = self.tensor(name, array)
        if self.engine.floating(tensor):
            self.tape.watch(tensor)
        return tensor

    def produced(self, names, tensors):
        for tensor in tensors:
            # An op may cut the gradient: then the tape has not seen its output.
            if self.engine.floating(tensor):
                self.tape.watch(tensor)
        return tensors

    def loss(self, program, outputs):
        # A softmax output carries its logits along, and Keras' losses then
        # differentiate those instead: the identity drops them.
        outputs = [tensorflow.identity(output) for output in outputs]
        return super(_TensorFlowSession, self).loss(program, outputs)

    def differentiate(self, loss, sources):
        with self.tape.stop_recording():
            return self.tape.gradient(loss, sources)
