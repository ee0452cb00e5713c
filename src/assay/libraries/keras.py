"""Keras 3: its ops are the shared words, described in ``assay.ops.keras``."""

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries.kernels import OTHER_KERNELS, pinned

#: Modes besides eager, by backend.
_MODES = {
    "tensorflow": ("graph", "xla"),
    "jax": ("jit",),
    "torch": ("compile",),
    "numpy": (),
    "openvino": (),
}
#: Runtimes that a model is exported to, and what that takes.
_EXPORTS = {
    "onnxruntime": ("onnxruntime", "tf2onnx"),
    "openvino": ("openvino",),
    "litert": ("ai_edge_litert",),
}


def _offered() -> tuple[Offered, ...]:
    found = []
    for backend, modes in _MODES.items():
        for mode in ("eager", *modes, *OTHER_KERNELS.get(backend, ())):
            found.append(
                Offered(
                    f"keras-{backend}" + ("" if mode == "eager" else f"+{mode}"),
                    backend,
                    mode,
                    env=pinned("keras", backend, mode),
                    extra="keras" if backend == "numpy" else f"keras,{backend}",
                    modules=("keras", backend),
                )
            )
    for mode, modules in _EXPORTS.items():
        found.append(
            Offered(
                f"keras-tensorflow+{mode}",
                "tensorflow",
                mode,
                env=pinned("keras", "tensorflow", mode),
                extra=f"keras,tensorflow,{mode}",
                modules=("keras", "tensorflow", *modules),
            )
        )
    return tuple(found)


#: On whatever backend it runs.
_GRADIENT = """\
def gradient(f, *tensors):
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = f(*tensors)
        return tape.gradient(result, tensors)
    if backend == "torch":
        import torch
        tensors = [tensor.requires_grad_().clone() for tensor in tensors]
        return torch.autograd.grad(f(*tensors), tensors, allow_unused=True)
    if backend == "jax":
        import jax
        result, pullback = jax.vjp(f, *tensors)
        return pullback(jax.numpy.ones_like(result))
    print("cannot run: no gradients on the", backend, "backend")
    raise SystemExit(2)"""

LIBRARY = Library(
    name="keras",
    root="keras",
    targets=_offered(),
    dialect=Dialect(
        imports=("keras",),
        tensor="keras.ops.convert_to_tensor({})",
        array="keras.ops.convert_to_numpy({})",
        bfloat16='keras.ops.cast({}, "bfloat16")',
        widened='keras.ops.convert_to_numpy(keras.ops.cast({}, "float32"))',
        total="keras.ops.sum({})",
        items="keras.tree.flatten({})",
        gradient=_GRADIENT,
        chosen="KERAS_BACKEND",
        modes={"eager": "", "onednn": ""},
        copy="keras.ops.copy({})",
    ),
)
#: Our float64 semantics know the same words.
REFERENCE = Library(name="reference", root="keras")
