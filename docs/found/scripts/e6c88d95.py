# keras 3.15.1, tensorflow 2.21.0: keras.ops.image.gaussian_blur(data_format="channels_last",
#   kernel_size=(3, 5)) gives 0.211796 instead of 0.40262 on the tensorflow backend
# depends on data_format="channels_last" and kernel_size=(3, 5) (together): other values that were
#   tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[[1.0]], [[2.0]]], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.image.gaussian_blur(x, data_format="channels_last", kernel_size=(3, 5)))
expected = np.array([[[0.40261996]], [[0.4742034]]], "float32")  # float64 reference, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0004, equal_nan=True) else 0)
