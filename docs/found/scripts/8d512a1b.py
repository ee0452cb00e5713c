# keras 3.15.1, numpy 2.4.6: keras.ops.image.gaussian_blur(kernel_size=(1, 3)) gives 0.451863
#   instead of 0.725931 on the numpy backend
# kernel_size: some other values show it, some do not
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "numpy")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = keras.ops.convert_to_tensor(np.ones((1, 2, 2), "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.image.gaussian_blur(x, kernel_size=(1, 3)))
expected = np.full((1, 2, 2), 0.7259314, "float32")  # float64 reference, keras-tensorflow
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00073, equal_nan=True) else 0)
