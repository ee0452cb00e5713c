# keras 3.15.1, jax 0.10.2: keras.ops.nanpercentile(keepdims=True) gives shape [1] where others have
#   [] on the jax backend
# depends on keepdims=True: other values that were tried do not show it; q: other values show it too
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "jax")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = keras.ops.convert_to_tensor(np.array(1.0, "float32"))
actual = tuple(keras.ops.nanpercentile(x, q=0.0, keepdims=True).shape)
expected = ()
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
