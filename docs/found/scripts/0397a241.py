# keras 3.15.1, torch 2.13.0+cpu: keras.ops.min(axis=1, initial=0) gives shape [] where others have
#   [0, 3] on the torch backend
# axis, initial: other values show it too
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

x = keras.ops.convert_to_tensor(np.zeros((0, 3, 3), "float32"))
actual = tuple(keras.ops.min(x, axis=1, initial=0).shape)
expected = (0, 3)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
