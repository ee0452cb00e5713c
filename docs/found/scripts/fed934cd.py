# keras 3.15.1, tensorflow 2.21.0: keras.ops.sparsemax gives 0.4 instead of 0.9 on the tensorflow,
#   jax and torch backends
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

x = keras.ops.convert_to_tensor(np.array([1.0, 0.2], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.sparsemax(x))
expected = np.array([0.9, 0.1], "float32")  # float64 reference
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0009, equal_nan=True) else 0)
