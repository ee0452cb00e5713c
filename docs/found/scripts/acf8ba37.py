# keras 3.15.1, torch 2.13.0+cpu: keras.layers.AveragePooling1D(pool_size=4, strides=1) gives 1.25
#   instead of 1.5 on the torch backend
# depends on pool_size=4 and strides=1: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[[1.0, 2.0], [1.0, 1.0]]], "float32"))
layer = keras.layers.AveragePooling1D(padding="same", pool_size=4, strides=1)
actual = keras.ops.convert_to_numpy(layer(x))
# float64 reference, keras-tensorflow, keras-jax:
expected = np.array([[[1.0, 1.5], [1.0, 1.5]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0015, equal_nan=True) else 0)
