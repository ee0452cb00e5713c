# keras 3.15.1, torch 2.13.0+cpu: keras.ops.average_pool(pool_size=3) gives 1.66667 instead of 1.5
#   on the torch backend
# depends on pool_size=3: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[[1.0], [2.0]]], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.average_pool(x, padding="same", pool_size=3))
expected = np.array([[[1.5]]], "float32")  # float64 reference, keras-tensorflow
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0017, equal_nan=True) else 0)
