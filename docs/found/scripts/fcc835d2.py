# keras 3.15.1, torch 2.13.0+cpu: keras.ops.cross gives nan instead of 0.637083 on the torch backend
# depends on the default axis: other values that were tried do not show it
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

n29 = keras.ops.convert_to_tensor(np.ones((3, 3), "float32"))
n32 = keras.ops.convert_to_tensor(np.array([1.3944075, -0.8800158, -0.24293232, 1.3944075,
    -0.8800158, np.nan, np.nan, np.nan, np.nan], "float32").reshape((3, 3)))
actual = keras.ops.convert_to_numpy(keras.ops.cross(n29, n32))[0, 0]
expected = 0.6370835  # float64 reference, keras-tensorflow, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0023, equal_nan=True) else 0)
