# keras 3.15.1, tensorflow 2.21.0: keras.losses.Tversky(alpha=0.0) gives 0.333333 instead of 0 on
#   the tensorflow, jax and torch backends
# alpha: some other values show it, some do not
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

x0 = keras.ops.convert_to_tensor(np.array([[1.0, 0.0]], "float32"))
x1 = keras.ops.convert_to_tensor(np.array([[1.0, 1.0]], "float32"))
actual = keras.ops.convert_to_numpy(keras.losses.Tversky(alpha=0.0)(x0, x1))
expected = 0.0  # float64 reference
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00033, equal_nan=True) else 0)
