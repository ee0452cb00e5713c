# keras 3.15.1, tensorflow 2.21.0: keras.ops.lstsq gives nan instead of 0 on the tensorflow backend
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

n24 = keras.ops.convert_to_tensor(np.array([[0.0, 0.0]], "float32"))
n25 = keras.ops.convert_to_tensor(np.array([[0.0, 0.0]], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.lstsq(n24, n25))
expected = np.zeros((2, 2), "float32")  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
