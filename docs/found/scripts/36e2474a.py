# keras 3.15.1, tensorflow 2.21.0: keras.ops.unravel_index(shape=(4, 1)) gives 0 instead of 1 on the
#   tensorflow backend
# shape: some other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.array([[0, 1]], "int32"))
actual = keras.ops.convert_to_numpy(keras.tree.flatten(keras.ops.unravel_index(x, shape=(4, 1)))[0])
expected = np.array([[0, 1]], "int32")  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.array_equal(actual, expected) else 0)
