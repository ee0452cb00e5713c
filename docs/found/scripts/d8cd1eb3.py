# keras 3.15.1, torch 2.13.0+cpu: keras.ops.prod(keepdims=True) gives shape [] where others have [1]
#   on the torch backend
# depends on keepdims=True and the default axis: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([1.0], "float32"))
actual = tuple(keras.ops.prod(x, keepdims=True).shape)
expected = (1,)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
