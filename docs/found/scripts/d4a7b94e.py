# keras 3.15.1, tensorflow 2.21.0: keras.ops.image.extract_patches_3d(padding="same", strides=3)
#   gives 1.5 instead of 1 on the tensorflow backend
# depends on padding="same" and strides=3: other values that were tried do not show it; size: some
#   other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.array([1.0, 0.5, 2.0, -1.0, 1.5, 0.9, 0.8500505, -2.0, 0.3260261,
    -0.5, -1.5, 0.3], "float32").reshape((1, 3, 2, 2)))
actual = keras.ops.convert_to_numpy(keras.ops.image.extract_patches_3d(x, padding="same", size=1, strides=3))
expected = np.array([[[[1.0, 0.5]]]], "float32")  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0015, equal_nan=True) else 0)
