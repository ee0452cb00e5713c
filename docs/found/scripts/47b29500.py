# keras 3.15.1, torch 2.13.0+cpu: keras.ops.count_nonzero(axis=1) gives shape [1, 2] where others
#   have [2, 1] on the torch backend
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

x = keras.ops.convert_to_tensor(np.array([[[0.0]], [[0.0]]], "float32"))
actual = tuple(keras.ops.count_nonzero(x, axis=1).shape)
expected = (2, 1)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
