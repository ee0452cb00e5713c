# keras 3.15.1, tensorflow 2.21.0: keras.ops.nextafter gives -inf instead of -3.40282e+38 on the
#   tensorflow and torch backends
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

x0 = keras.ops.convert_to_tensor(np.array(-np.inf, "float32"))
x1 = keras.ops.convert_to_tensor(np.array(1.0, "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.nextafter(x0, x1))
expected = -3.4028235e+38  # float64 reference, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=3.4e+35, equal_nan=True) else 0)
