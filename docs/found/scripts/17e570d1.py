# keras 3.15.1, jax 0.10.2: keras.ops.image.affine_transform gives nan instead of 0 on the jax and
#   torch backends
# depends on the default interpolation: other values that were tried do not show it
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "jax")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = keras.ops.convert_to_tensor(np.array([[[0.0, 0.0], [0.0, np.inf]]], "float32"))
x1 = keras.ops.convert_to_tensor(np.array([0.6270329, 0.120016515, 1.3961694, -0.32669187,
    1.0414413, -0.85095423, 0.0, 0.0], "float32").reshape((1, 8)))
actual = keras.ops.convert_to_numpy(keras.ops.image.affine_transform(x0, x1))
expected = np.array([[[0.0, np.inf], [0.0, 0.0]]], "float32")  # float64 reference, keras-tensorflow
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
