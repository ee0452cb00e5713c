# keras 3.15.1, tensorflow 2.21.0: keras.layers.CategoryEncoding(num_tokens=2, output_mode="count")
#   gives shape [1, 2, 2] where compute_output_shape says [1, 1, 2] on every backend
# the finding met it with keras.layers.Discretization(bin_boundaries=(0.0,), output_mode="count")
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

x = keras.ops.convert_to_tensor(np.array([[[0, 1]]], "int32"))
layer = keras.layers.CategoryEncoding(num_tokens=2, output_mode="count")
actual = tuple(layer(x).shape)
expected = tuple(layer.compute_output_shape((1, 1, 2)))
print("expected shape", expected, "actual shape", actual)
raise SystemExit(0 if actual != expected else 1)
