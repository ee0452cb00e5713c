# keras 3.15.1, torch 2.13.0+cpu: keras.ops.correlate(mode="circular") accepts an invalid mode on
#   the torch backend
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

x = keras.ops.convert_to_tensor(np.array([0.0], "float32"))
try:
    result = keras.ops.correlate(x, x, mode="circular")
except Exception as error:
    print(f"expected an exception, actual {type(error).__name__}: {error}")
    raise SystemExit(1)
print("expected an exception, actual result", result)
raise SystemExit(0)
