# keras 3.15.1, tensorflow 2.21.0: keras.metrics.R2Score(num_regressors=1) gives -0.875 instead of
#   -2 on the tensorflow, jax and torch backends
# depends on num_regressors=1: other values that were tried do not show it
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

n0 = keras.ops.convert_to_tensor(np.array([[1.0, 2.0], [1.0, 1.0], [2.0, 1.0]], "float32"))
x1 = keras.ops.convert_to_tensor(np.ones((3, 2), "float32"))
actual = keras.ops.convert_to_numpy(keras.metrics.R2Score(num_regressors=1)(n0, x1))
expected = -2.0  # float64 reference
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.002, equal_nan=True) else 0)
