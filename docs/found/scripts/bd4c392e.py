# keras 3.15.1, torch 2.13.0+cpu: keras.layers.AveragePooling3D(padding="same", pool_size=3) gives
#   -0.895311 instead of -0.364793 on the torch backend
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

x = keras.ops.convert_to_tensor(np.array([-1.0, 1.5, 1.0, -2.0, 0.6, 2.0, -0.4, -0.5, -1.5, 0.2,
    -1.2, -0.7, 0.5, -1.5183464, 0.5995495, -1.9], "float32").reshape((1, 2, 2, 2, 2)))
layer = keras.layers.AveragePooling3D(padding="same", pool_size=3)
actual = keras.ops.convert_to_numpy(layer(x))
# float64 reference, keras-tensorflow, keras-jax:
expected = np.array([[[[[-0.17505632, -0.3647933]]]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0009, equal_nan=True) else 0)
