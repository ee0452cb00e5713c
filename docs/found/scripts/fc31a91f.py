# keras 3.15.1, torch 2.13.0+cpu: keras.ops.layer_normalization(axis=0) gives 1 instead of -1 on the
#   torch backend
# axis: some other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.array([-2.0, -0.5, 0.5, -1.0, -1.5, 1.2, 1.0, 1.9845064, 1.4,
    1.6, 2.0, 0.4784331, 1.8, 2.1833773, 1.5, 1.6455894], "float32").reshape((2, 2, 2, 2)))
actual = keras.ops.convert_to_numpy(keras.ops.layer_normalization(x, axis=0))[0, 0, 0, 1]
expected = -0.99999994  # float64 reference, keras-tensorflow, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
