"""One adapter per library: how a call of its vocabulary is made. ``load`` imports the library."""

import importlib
import importlib.util
import os

#: Library name in a target's definition -> module and class of its adapter.
ADAPTERS = {
    "jax": ("assay_worker.libraries.jax", "JaxAdapter"),
    "keras": ("assay_worker.libraries.keras.adapter", "KerasAdapter"),
    "keras2": ("assay_worker.libraries.keras2.adapter", "Keras2Adapter"),
    "litert": ("assay_worker.libraries.litert", "LitertAdapter"),
    "onnx": ("assay_worker.libraries.onnx", "ReferenceEvaluatorAdapter"),
    "onnxruntime": ("assay_worker.libraries.onnx", "OnnxruntimeAdapter"),
    "openvino": ("assay_worker.libraries.onnx", "OpenvinoAdapter"),
    "selftest": ("assay_worker.libraries.selftest", "SelftestAdapter"),
    "tensorflow": ("assay_worker.libraries.tensorflow", "TensorFlowAdapter"),
    "torch": ("assay_worker.libraries.torch", "TorchAdapter"),
    "reference": ("assay_worker.libraries.reference", "ReferenceAdapter"),
}


def load(library, backend, mode, adapter=""):
    """The adapter for a library, with the library imported.

    ``adapter`` is ``FILE:CLASS`` for a library that another distribution describes.
    """
    if adapter:
        path, _, name = adapter.rpartition(":")
        return getattr(_file(path), name)(backend, mode)
    if library not in ADAPTERS:
        raise ValueError("unknown library %r; expected one of %s" % (library, sorted(ADAPTERS)))
    module, name = ADAPTERS[library]
    return getattr(importlib.import_module(module), name)(backend, mode)


def _file(path):
    """The module in a file; its neighbours are not importable, since it may be any interpreter."""
    stem = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location("assay_adapter_" + stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
