# keras 3.15.1, torch 2.13.0+cpu: keras.layers.GroupNormalization(groups=-1, epsilon=1e-12) gives
#   -0.0109863 instead of 0 on the torch backend
# depends on the default axis: other values that were tried do not show it; groups, epsilon: some
#   other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.array([[[1.0639356, 1.0], [1.0622257, 2.0]]], "float32"))
layer = keras.layers.GroupNormalization(groups=-1, epsilon=1e-12)
layer.build((1, 2, 2))
layer.set_weights([np.array([1.0, 1.0], "float32"), np.array([1.0, 1.0], "float32")])
actual = keras.ops.convert_to_numpy(layer(x))
# float64 reference, keras-tensorflow, keras-jax:
expected = np.array([[[1.9999993, 1.9999558e-12], [6.8402e-07, 2.0]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0002, equal_nan=True) else 0)
