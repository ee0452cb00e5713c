# keras 3.15.1, tensorflow 2.21.0: keras.ops.max_pool(pool_size=1) gives -3.40282e+38 instead of
#   -inf on the tensorflow backend
# pool_size: other values show it too
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

x = keras.ops.convert_to_tensor(np.array([[[1.0, 1.0], [1.0, -np.inf]]], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.max_pool(x, pool_size=1))
expected = np.array([[[1.0, 1.0], [1.0, -np.inf]]], "float32")  # float64 reference, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
