# keras 3.15.1, tensorflow 2.21.0: keras.layers.RMSNormalization(axis=0) gives -0.0265348 instead of
#   0.0559599 on the tensorflow, jax and torch backends
# depends on axis=0: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[1.0, 2.0], [-2.0, -1.0]], "float32"))
layer = keras.layers.RMSNormalization(axis=0)
layer.build((2, 2))
layer.set_weights([np.array([0.044240206, -0.020977605], "float32")])
actual = keras.ops.convert_to_numpy(layer(x))
# float64 reference:
expected = np.array([[0.027979957, 0.055959914], [0.0265348, 0.0132674]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=5.6e-05, equal_nan=True) else 0)
