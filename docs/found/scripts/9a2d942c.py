# keras 3.15.1, torch 2.13.0+cpu: keras.ops.where gives one array of shape [2, 0] where others have
#   a tuple of arrays, the first of shape [0] on the torch backend
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

x = keras.ops.convert_to_tensor(np.array([[False, False]], "bool"))
actual = [tuple(item.shape) for item in keras.tree.flatten(keras.ops.where(x))]
expected = [(0,), (0,)]
print("expected arrays of shapes", expected, "actual", actual)
raise SystemExit(0 if len(actual) != len(expected) else 1)
