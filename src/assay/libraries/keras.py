"""Keras 3: its ops are the shared words, described in ``assay.ops.keras``."""

from assay.libraries._base import Library, Offered

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


LIBRARY = Library(name="keras", root="keras", targets=_offered())
#: Our float64 semantics know the same words.
REFERENCE = Library(name="reference", root="keras")
