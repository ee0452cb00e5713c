# keras 3.15.1, jax 0.10.2: keras.losses.BinaryFocalCrossentropy(from_logits=True) gives 8.32213
#   instead of 2048.32 on the jax and torch backends
# depends on from_logits=True: other values that were tried do not show it
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "jax")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = keras.ops.convert_to_tensor(np.array([0, 0], "int32"))
x1 = keras.ops.convert_to_tensor(np.array([4095.948, 1.0], "float32"))
actual = keras.ops.convert_to_numpy(keras.losses.BinaryFocalCrossentropy(from_logits=True)(x0, x1))
expected = 2048.325  # float64 reference, keras-tensorflow
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=2, equal_nan=True) else 0)
