# keras 3.15.1, torch 2.13.0+cpu: keras.ops.tri(M=0) gives shape [1, 1] where others have [1, 0] on
#   the torch backend
# depends on M=0: other values that were tried do not show it; N: some other values show it, some do
#   not
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

actual = tuple(keras.ops.tri(N=1, M=0).shape)
expected = (1, 0)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
