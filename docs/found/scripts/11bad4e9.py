# keras 3.15.1, tensorflow 2.21.0: keras.layers.Discretization(bin_boundaries=(0.0,),
#   output_mode="count") gives shape [1, 2, 2] where the reference has [1, 1, 2] on the tensorflow,
#   jax and torch backends
# depends on bin_boundaries=(0.0,) and output_mode="count" (together): other values that were tried
#   do not show it
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

x = keras.ops.convert_to_tensor(np.array([[[1.0, 2.0]]], "float32"))
layer = keras.layers.Discretization(bin_boundaries=(0.0,), output_mode="count")
actual = tuple(layer(x).shape)
expected = (1, 1, 2)
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
