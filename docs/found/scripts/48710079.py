# keras 3.15.1, tensorflow 2.21.0: keras.ops.eye(N=3, k=-1) gives shape [4, 1] where others have [3,
#   0] on the tensorflow backend
# depends on N=3 and k=-1 (together): other values that were tried do not show it; M: some other
#   values show it, some do not
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

actual = tuple(keras.ops.eye(N=3, M=0, k=-1).shape)
expected = (3, 0)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
