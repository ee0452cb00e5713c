# keras 3.15.1, torch 2.13.0+cpu: keras.layers.AveragePooling2D(padding="same", pool_size=3) gives
#   0.222222 instead of 0.25 on the torch backend
# pool_size: some other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.array([[[[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]]],
    "float32"))
layer = keras.layers.AveragePooling2D(padding="same", pool_size=3)
actual = keras.ops.convert_to_numpy(layer(x))
# float64 reference, keras-tensorflow, keras-numpy:
expected = np.array([[[[0.25, 0.0]]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00025, equal_nan=True) else 0)
