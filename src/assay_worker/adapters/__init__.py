"""One adapter per library. ``load`` imports the library, nothing else does."""

import importlib

#: Library name in a target's definition -> module and class of its adapter.
ADAPTERS = {
    "keras": ("assay_worker.adapters.keras", "KerasAdapter"),
    "keras2": ("assay_worker.libraries.keras2", "Keras2Adapter"),
    "onnx": ("assay_worker.adapters.onnx", "ReferenceEvaluatorAdapter"),
    "onnxruntime": ("assay_worker.adapters.onnx", "OnnxruntimeAdapter"),
    "openvino": ("assay_worker.adapters.onnx", "OpenvinoAdapter"),
    "selftest": ("assay_worker.adapters.selftest", "SelftestAdapter"),
    "torch": ("assay_worker.adapters.torch", "TorchAdapter"),
    "reference": ("assay_worker.adapters.reference", "ReferenceAdapter"),
}


def load(library, backend, mode):
    """The adapter for a library, with the library imported."""
    if library not in ADAPTERS:
        raise ValueError("unknown library %r; expected one of %s" % (library, sorted(ADAPTERS)))
    module, name = ADAPTERS[library]
    return getattr(importlib.import_module(module), name)(backend, mode)
