"""Keras 3: its ops are the shared words, described in ``assay.ops.keras``."""

from assay.libraries._base import Dialect, Library, Offered

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
#: What a library would else choose by the machine it runs on, by backend: TensorFlow turns oneDNN
#: on where the CPU has AVX512_VNNI, and its numbers, refusals and crashes are others then. A
#: finding must mean the same everywhere; a target of one's own may set another value.
PINNED = {"tensorflow": {"TF_ENABLE_ONEDNN_OPTS": "0"}}


def _offered() -> tuple[Offered, ...]:
    found = []
    for backend, modes in _MODES.items():
        for mode in ("eager", *modes):
            found.append(
                Offered(
                    f"keras-{backend}" + ("" if mode == "eager" else f"+{mode}"),
                    backend,
                    mode,
                    env=PINNED.get(backend, {}),
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
                env=PINNED["tensorflow"],
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
        total="keras.ops.sum({})",
        items="keras.tree.flatten({})",
        gradient=_GRADIENT,
        chosen="KERAS_BACKEND",
        copy="keras.ops.copy({})",
    ),
)
#: Our float64 semantics know the same words.
REFERENCE = Library(name="reference", root="keras")
