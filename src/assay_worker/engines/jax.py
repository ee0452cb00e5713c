"""JAX: ``jax.vjp`` of each step; ``jax.jit``."""

import contextlib
import importlib
import os

import jax
import jax.numpy
import numpy as np

from assay_worker.engines._base import Conversions
from assay_worker.engines.chained import FunctionalEngine

# JAX imports it when it first compiles: then each fork would, for a tenth of a second.
with contextlib.suppress(ImportError):
    importlib.import_module("jaxlib.mlir.dialects.mhlo")

#: Kernels without an emitter of their own for what is fused: compiling takes half as long (1.4
#: instead of 2.9 CPU s for eleven calls with gradients).
_FASTER = "--xla_cpu_use_fusion_emitters=false"
#: The line of versions that is known to have it: of an unknown flag, XLA ends the process.
_VERSIONS = "0.10."
#: So many programs are lowered in one MLIR context: it keeps their constants.
_LOWERED = 256
#: Arrays of these stay what they are. What JAX makes of others is its own affair.
_KEPT = ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32")


def _compile_sooner():
    """Op by op there is little to optimise; nothing may have been computed before."""
    flags = os.environ.get("XLA_FLAGS", "")
    sought = os.environ.get("JAX_DISABLE_MOST_OPTIMIZATIONS") == "1"
    if not sought or not jax.__version__.startswith(_VERSIONS):
        return
    if _FASTER.partition("=")[0] not in flags:
        os.environ["XLA_FLAGS"] = (flags + " " + _FASTER).strip()
    _share_contexts()


def _share_contexts():
    """Let programs be lowered in one MLIR context, which says nothing of what they become.

    JAX makes one for each program, and loads all dialects into it: of 15 ms that a small program
    takes until it runs, 3.
    """
    from jax._src.interpreters import mlir

    make, kept = mlir.make_ir_context, []
    if make.__name__ == "shared_context":
        return

    def shared_context():
        if len(kept) == _LOWERED:
            del kept[:]
        kept.append(kept[0] if kept else make())
        return kept[0]

    mlir.make_ir_context = shared_context


class _Conversions(Conversions):
    def tensor(self, array):
        # A copy, so that equal inputs are two tensors.
        return jax.numpy.array(array)


class JaxEngine(FunctionalEngine):
    """See ``Engine``."""

    modes = ("jit",)

    def __init__(self, conversions=None):
        _compile_sooner()
        super(JaxEngine, self).__init__(conversions or _Conversions())

    def floating(self, tensor):
        """Can it be differentiated?"""
        return hasattr(tensor, "dtype") and jax.numpy.issubdtype(tensor.dtype, jax.numpy.floating)

    def tensor(self, array):
        """See ``Engine``."""
        # A copy: JAX may go on reading the memory that it is given.
        return self.placed(array.copy()) if array.dtype in _KEPT else super().tensor(array)

    def placed(self, array):
        """See ``Engine``. JAX compiles something for each shape that it is to make an array of."""
        return jax.device_put(array) if array.dtype in _KEPT else array

    def cast(self, tensor, dtype):
        """See ``Engine``."""
        return tensor.astype(dtype)

    def pullback(self, function, values):
        """See ``FunctionalEngine``."""
        results, pulled, rest = jax.vjp(function, values, has_aux=True)
        return results, lambda gradients: pulled(gradients)[0], rest

    def filled(self, tensor, value):
        """See ``FunctionalEngine``."""
        return self.placed(np.full(tensor.shape, value, tensor.dtype))

    def flattened(self, tree):
        """Also of what is registered with JAX."""
        return jax.tree_util.tree_flatten(tree)

    def rebuilt(self, structure, leaves):
        """See ``FunctionalEngine``."""
        return jax.tree_util.tree_unflatten(structure, leaves)

    def result(self, value):
        """See ``FunctionalEngine``."""
        return jax.numpy.asarray(value)

    def weighted(self, output, weights):
        """See ``FunctionalEngine``. Nothing of it is compiled."""
        factors = np.asarray(weights).astype(output.dtype)
        array = np.asarray(output)
        # Halves are added up as JAX does it.
        wide = np.float32 if array.dtype.itemsize < 4 and self.floating(output) else None
        total = np.asarray(np.sum(array * factors, dtype=wide)).astype(array.dtype)
        return total, jax.device_put(factors)

    def dot(self, output, weights):
        """See ``Engine``."""
        return jax.numpy.sum(output * jax.numpy.asarray(weights, dtype=output.dtype))

    def compiled(self, forward, mode, names, floating, gradient):
        """See ``Engine``."""

        def function(floats, others, weights):
            merged = dict(others, **floats)
            outputs, loss = forward([merged[name] for name in names], weights)
            return loss, outputs

        if gradient:
            compiled = jax.jit(jax.value_and_grad(function, argnums=(0, 2), has_aux=True))
        else:
            compiled = jax.jit(function)

        def run(inputs, weights):
            floats = {name: inputs[name] for name in floating}
            others = {name: inputs[name] for name in names if name not in floats}
            if not gradient:
                loss, outputs = compiled(floats, others, weights)
                return outputs, loss, [], []
            (loss, outputs), (by_input, by_weight) = compiled(floats, others, weights)
            return outputs, loss, [by_input[name] for name in floating], by_weight

        return run
