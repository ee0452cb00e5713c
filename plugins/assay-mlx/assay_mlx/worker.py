"""MLX at work: runs in the interpreter that has MLX, where only ``assay_worker`` is beside it."""

import mlx.core as mx
import numpy as np

from assay_worker.engines._base import Conversions
from assay_worker.engines.chained import FunctionalEngine
from assay_worker.libraries._graphs import NativeAdapter


class _Conversions(Conversions):
    def tensor(self, array):
        return mx.array(array)

    def numpy(self, tensor):
        # It is computed here; NumPy has no bfloat16.
        return np.array(tensor.astype(mx.float32) if tensor.dtype == mx.bfloat16 else tensor)


class MlxEngine(FunctionalEngine):
    """``mx.vjp`` of each step; ``mx.compile``."""

    modes = ("compile",)

    def __init__(self):
        super().__init__(_Conversions())

    def floating(self, tensor):
        """Can it be differentiated?"""
        return isinstance(tensor, mx.array) and mx.issubdtype(tensor.dtype, mx.floating)

    def dot(self, output, weights):
        """The sum of an output's elements, each times its weight."""
        return mx.sum(output * mx.array(weights).astype(output.dtype))

    def filled(self, tensor, value):
        """A tensor like it, of one number."""
        return mx.full(tensor.shape, value, dtype=tensor.dtype)

    def pullback(self, function, values):
        """MLX wants the gradients together with the function: it runs when they are known."""
        results, rest = function(values)

        def pulled(gradients):
            if not (values and results):
                return [mx.zeros_like(value) for value in values]
            return mx.vjp(lambda *given: function(list(given))[0], values, gradients)[1]

        return results, pulled, rest

    def compiled(self, forward, mode, names, floating, gradient):
        """See ``Engine``; functions have no weights."""

        def function(floats, others):
            merged = dict(others, **floats)
            outputs, loss = forward([merged[name] for name in names], [])
            return outputs if loss is None else (loss, outputs)

        made = mx.compile(mx.value_and_grad(function) if gradient else function)

        def run(inputs, weights):
            floats = {name: mx.array(inputs[name]) for name in floating}
            others = {name: mx.array(inputs[name]) for name in names if name not in floats}
            found = made(floats, others)
            if gradient:
                (loss, outputs), by_input = found
                return outputs, loss, [by_input[name] for name in floating], []
            loss, outputs = found if isinstance(found, tuple) else (None, found)
            return outputs, loss, [], []

        return run


class MlxAdapter(NativeAdapter):
    """Functions by their public path, eager or compiled."""

    root = module = "mlx"
    submodules = ("mlx.core", "mlx.nn")

    def create_engine(self):
        """Its own."""
        return MlxEngine()

    def version(self):
        """The package itself has none."""
        return mx.__version__

    def dtype(self, name):
        """Dtypes are ``mlx.core``'s."""
        return getattr(mx, name)
