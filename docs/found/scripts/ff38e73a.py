# keras 3.15.1, jax 0.10.2: keras.layers.CategoryEncoding(num_tokens=1) raises IndexError or
#   ValueError on the jax and torch backends
# depends on the default output_mode: other values that were tried do not show it; num_tokens: other
#   values show it too
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

x = keras.ops.convert_to_tensor(np.zeros((0,), "int32"))
try:
    layer = keras.layers.CategoryEncoding(num_tokens=1)
    result = layer(x)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
