# keras 3.15.1, tensorflow 2.21.0: keras.ops.geomspace(num=1) gives shape [2, 2] where others have
#   [2, 1] on the tensorflow backend
# depends on num=1: other values that were tried do not show it
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

n8 = keras.ops.convert_to_tensor(np.array([1.0, 1.0], "float32"))
n12 = keras.ops.convert_to_tensor(np.array([1.0, 1.0], "float32"))
actual = tuple(keras.ops.geomspace(n8, n12, num=1, axis=-1).shape)
expected = (2, 1)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
