# keras 3.15.1, tensorflow 2.21.0: keras.losses.CTC() gives nan instead of 0.287682 on the
#   tensorflow, jax and numpy backends
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

x0 = keras.ops.convert_to_tensor(np.array([[1, 0]], "int32"))
x1 = keras.ops.convert_to_tensor(np.array([[[0.0, 0.0, -np.inf], [0.0, 0.0, -np.inf]]], "float32"))
actual = keras.ops.convert_to_numpy(keras.losses.CTC()(x0, x1))
expected = 0.2876821  # -log(3/4), keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
