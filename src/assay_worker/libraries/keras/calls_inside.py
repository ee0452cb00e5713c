"""The calls inside of Keras: its front end, which all backends share, and the backend's own."""

import os

from assay_worker.inside import CLOSED, PASSED, RECORDED, Recorder

#: Files that only lead from one call to the next, or prepare one.
_AROUND = (
    "src/backend/common/",
    "src/backend/config",
    "src/dtype",
    "src/layers/input_spec.py",
    "src/layers/layer.py",
    "src/ops/core.py",
    "src/ops/operation.py",
    "src/tree/",
    "src/utils/",
)
#: The same, of every backend.
_AROUND_BACKENDS = ("layer.py", "sparse.py", "trackable.py")
#: Functions that make, convert or describe tensors.
_LEADING = (
    "__call__",
    "__setattr__",
    "any_symbolic_tensors",
    "cast",
    "convert_to_numpy",
    "convert_to_tensor",
    "device_scope",
    "get_device",
    "is_tensor",
    "result_type",
    "shape",
    "standardize_dtype",
    "stop_gradient",
    "symbolic_call",
    "to_torch_dtype",
)
#: What makes layers, weights and specifications is no part of what they compute.
_MAKING = ("build", "build_wrapper", "compute_output_spec", "compute_mask")


def inside(adapter, case):
    """See ``Adapter.inside``. Keras hides its own frames unless it is told not to."""
    keras = adapter.keras
    hides = keras.config.is_traceback_filtering_enabled()
    keras.config.disable_traceback_filtering()
    recorder = Recorder(
        os.path.dirname(keras.__file__),
        _interest,
        # Only on some backends a variable is a tensor, too.
        lambda value: keras.ops.is_tensor(value) and not isinstance(value, keras.Variable),
        keras.ops.convert_to_numpy,
    )
    try:
        frames = adapter.frames(case, recorder)
    finally:
        if hides:
            keras.config.enable_traceback_filtering()
    return {"calls": recorder.calls, "frames": frames}


def _interest(path, name):
    own = name.rpartition(".")[2]
    if own in _MAKING or path.startswith("src/initializers/") or "Variable." in name:
        return CLOSED
    around = path.startswith(_AROUND) or path.rpartition("/")[2] in _AROUND_BACKENDS
    if around or own in _LEADING or own.startswith("__") or not path.startswith("src/"):
        return PASSED
    return RECORDED
