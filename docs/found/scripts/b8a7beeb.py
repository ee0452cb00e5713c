# keras 3.15.1, torch 2.13.0+cpu:
#   keras.layers.ContrastLimitedAdaptiveHistogramEqualization(value_range=(0.0, 1.0),
#   tile_grid_size=(1, 1)) gives 0.498039 instead of 0.513785 on the torch backend
# value_range, tile_grid_size: other values show it too
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

x = keras.ops.convert_to_tensor(np.array([[[0.5, 1.0], [0.1, 0.8]]], "float32"))
layer = keras.layers.ContrastLimitedAdaptiveHistogramEqualization(value_range=(0.0, 1.0), tile_grid_size=(1, 1))
actual = keras.ops.convert_to_numpy(layer(x))
# keras-tensorflow, keras-jax:
expected = np.array([[[0.51378506, 1.0], [0.11064821, 0.7905894]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00051, equal_nan=True) else 0)
