# keras 3.15.1, tensorflow 2.21.0: keras.layers.AdaptiveMaxPooling1D(output_size=2) gives
#   -3.40282e+38 instead of -inf on the tensorflow backend
# output_size: some other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.array([[[2.0, 1.0], [-1.0, -np.inf]]], "float32"))
layer = keras.layers.AdaptiveMaxPooling1D(output_size=2)
actual = keras.ops.convert_to_numpy(layer(x))
# float64 reference, keras-jax, keras-torch:
expected = np.array([[[2.0, 1.0], [-1.0, -np.inf]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.002, equal_nan=True) else 0)
