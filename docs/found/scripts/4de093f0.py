# keras 3.15.1, tensorflow 2.21.0: keras.ops.nan_to_num(nan=float("inf")) gives 3.40282e+38 instead
#   of inf on the tensorflow and jax backends
# depends on nan=float("inf"): other values that were tried do not show it
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = keras.ops.convert_to_tensor(np.array(np.nan, "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.nan_to_num(x, nan=float("inf")))
expected = np.inf  # float64 reference, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
