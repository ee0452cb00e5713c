# keras 3.15.1, tensorflow 2.21.0: keras.activations.sparsemax gives 1.19209e-07 instead of 0.8 on
#   the tensorflow, jax and torch backends
# depends on the default axis: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[1.6, 1.0]], "float32"))
actual = keras.ops.convert_to_numpy(keras.activations.sparsemax(x))
expected = np.array([[0.8, 0.19999999]], "float32")  # float64 reference
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0008, equal_nan=True) else 0)
