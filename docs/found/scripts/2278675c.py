# keras 3.15.1, tensorflow 2.21.0: keras.ops.arange(start=-1.5) raises InvalidArgumentError or
#   RuntimeError on the tensorflow and torch backends
# depends on start=-1.5 and the default stop: other values that were tried do not show it; step:
#   some other values show it, some do not
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

try:
    result = keras.ops.arange(start=-1.5, step=2)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
