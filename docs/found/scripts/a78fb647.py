# keras 3.15.1, jax 0.10.2: keras.ops.image.gaussian_blur gives 0.123841 instead of 0 on the jax and
#   torch backends
# depends on the default data_format: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[[0.0, 0.0], [0.0, 1.0]]], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.image.gaussian_blur(x))
# float64 reference, keras-tensorflow:
expected = np.array([[[0.0, 0.123841405], [0.0, 0.20417996]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00012, equal_nan=True) else 0)
