# keras 3.15.1, jax 0.10.2: keras.ops.repeat(…) raises TypeError or ValueError on the jax and torch
#   backends
# repeats: some other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.zeros((3, 7, 6), "float32"))
try:
    result = keras.ops.repeat(
        x,
        repeats=(0, 2, 0, 1, 3, 1, 3, 3, 1, 3, 0, 1, 3, 2, 2, 3, 0, 2, 3, 2, 3, 1, 1, 2, 1, 0, 3, 3, 0, 2, 2, 1, 1, 2, 1, 3, 3, 1, 2, 3, 2, 0, 2, 2, 0, 0, 2, 1, 1, 0, 1, 1, 1, 2, 1, 2, 0, 1, 2, 3, 2, 3, 1, 0, 1, 0, 2, 1, 3, 2, 2, 0, 3, 2, 3, 2, 3, 1, 0, 0, 2, 2, 0, 2, 3, 1, 3, 0, 3, 1, 3, 3, 2, 0, 0, 2, 2, 3, 2, 1, 2, 3, 3, 3, 1, 3, 3, 3, 2, 3, 0, 2, 2, 3, 3, 2, 2, 0, 0, 3, 0, 0, 3, 2, 2, 2),
    )
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
