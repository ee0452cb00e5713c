# keras 3.15.1, torch 2.13.0+cpu: keras.ops.dot_product_attention(scale=0.0, is_causal=True) gives
#   nan instead of 0 on the torch backend
# depends on scale=0.0 and is_causal=True: other values that were tried do not show it
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

n27 = keras.ops.convert_to_tensor(np.zeros((1, 2, 2, 2), "float32"))
n29 = keras.ops.convert_to_tensor(np.zeros((1, 2, 2, 2), "float32"))
n32 = keras.ops.convert_to_tensor(np.zeros((1, 2, 2, 2), "float32"))
actual = keras.ops.convert_to_numpy(keras.ops.dot_product_attention(n27, n29, n32, scale=0.0, is_causal=True))
expected = np.zeros((1, 2, 2, 2), "float32")  # float64 reference, keras-tensorflow, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
