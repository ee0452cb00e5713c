# keras 3.15.1, numpy 2.4.6: keras.ops.binary_crossentropy(from_logits=True) gives 7.97119 instead
#   of 14.6656 on the numpy backend
# depends on from_logits=True: other values that were tried do not show it
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

n21 = keras.ops.convert_to_tensor(np.array([0.5], "float32"))
n24 = keras.ops.convert_to_tensor(np.array([29.331108], "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.binary_crossentropy(n21, n24, from_logits=True))
expected = np.array([14.665554], "float32")  # float64 reference, keras-tensorflow, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.015, equal_nan=True) else 0)
