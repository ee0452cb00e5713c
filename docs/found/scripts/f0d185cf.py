# keras 3.15.1, torch 2.13.0+cpu: keras.ops.in_top_k(k=2) gives 1 instead of 0 on the torch backend
# k: some other values show it, some do not
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

x0 = keras.ops.convert_to_tensor(np.array([[4]], "int32"))
x1 = keras.ops.convert_to_tensor(np.array([[[1.0, 2.0]]], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.in_top_k(x0, x1, k=2))
expected = np.array([[False]], "bool")  # float64 reference, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.array_equal(actual, expected) else 0)
