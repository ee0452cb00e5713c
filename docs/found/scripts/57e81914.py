# keras 3.15.1, tensorflow 2.21.0: keras.ops.image.map_coordinates(fill_mode="reflect") gives 1
#   instead of 0 on the tensorflow backend
# depends on fill_mode="reflect": other values that were tried do not show it; order: other values
#   show it too
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

n0 = keras.ops.convert_to_tensor(np.array([[[0.0]], [[1.0]], [[0.0]]], "float32"))
n5 = keras.ops.convert_to_tensor(np.array([[[-1.0]], [[0.0]], [[0.0]]], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.image.map_coordinates(n0, n5, order=0, fill_mode="reflect"))
expected = np.array([[0.0]], "float32")  # float64 reference, keras-torch, keras-numpy
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
