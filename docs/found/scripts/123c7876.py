# keras 3.15.1, tensorflow 2.21.0: keras.ops.nanquantile(q=(0.5,)) gives shape [] where others have
#   [1] on the tensorflow backend
# depends on the default axis: other values that were tried do not show it; q: some other values
#   show it, some do not
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

x = keras.ops.convert_to_tensor(np.array([np.nan, np.nan], "float32"))
actual = tuple(keras.ops.nanquantile(x, q=(0.5,)).shape)
expected = (1,)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
