# keras 3.15.1, tensorflow 2.21.0: keras.ops.image.affine_transform(fill_mode="wrap") gives 1
#   instead of 0.659594 on the tensorflow backend
# depends on fill_mode="wrap": other values that were tried do not show it
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

n0 = keras.ops.convert_to_tensor(np.array([[[1.0, 0.0], [0.0, 0.0]]], "float32"))
x1 = keras.ops.convert_to_tensor(np.array([1.3095447, -0.11555742, 0.35004914, 0.3744368, 0.7076568,
    0.6567239, 0.0, 0.0], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.image.affine_transform(n0, x1, fill_mode="wrap"))
# float64 reference, keras-torch, keras-numpy:
expected = np.array([[[0.64995086, 0.0], [0.6595938, 0.0]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
