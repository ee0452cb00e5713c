# keras 3.15.1, torch 2.13.0+cpu: keras.ops.linspace(num=1) gives nan instead of 1 on the torch
#   backend
# depends on num=1: other values that were tried do not show it
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "torch")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

n3 = keras.ops.convert_to_tensor(np.array([1.0, 2.0], "float32"))
n14 = keras.ops.convert_to_tensor(np.array([1.0, 2.0], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.linspace(n3, n14, num=1))
expected = np.array([[1.0, 2.0]], "float32")  # float64 reference, keras-tensorflow, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.002, equal_nan=True) else 0)
