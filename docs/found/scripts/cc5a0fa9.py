# keras 3.15.1, tensorflow 2.21.0: keras.layers.Normalization(invert=True) raises
#   InvalidArgumentError on the tensorflow backend
# depends on invert=True and the default axis: other values that were tried do not show it; mean,
#   variance: other values show it too
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

x = keras.ops.convert_to_tensor(np.zeros((0, 3), "float32"))
try:
    layer = keras.layers.Normalization(mean=0.0, variance=1e-06, invert=True)
    result = layer(x)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
