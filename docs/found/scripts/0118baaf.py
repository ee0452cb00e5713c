# keras 3.15.1, tensorflow 2.21.0: keras.layers.Conv3D(filters=4, data_format="channels_first",
#   kernel_size=1) gives 0.209796 instead of -0.306118 on the tensorflow backend
# depends on filters=4 and data_format="channels_first" and kernel_size=1 and the default use_bias:
#   other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([2.0, 0.49486566, 0.2545453, 0.5, 0.1, 0.2, 0.3, 0.4,
    0.0266658, -0.3, 0.44980773, -1.0, 0.51165575, 0.7582549, 1.5, -2.0, -0.3056664, -0.5,
    0.18520515, 1.0, 0.28678203, 0.13475892, -1.5, 0.34078336, -0.2, -0.6, 0.1708176, 0.11204708,
    0.34893367, 0.009218462, 0.11794828, 0.14564967], "float32").reshape((1, 2, 2, 2, 4)))
layer = keras.layers.Conv3D(filters=4, data_format="channels_first", kernel_size=1)
layer.build((1, 2, 2, 2, 4))
layer.set_weights([np.array([0.30088675, -0.23259681, 0.3609346, -0.20881353, -0.13645199,
    -0.31131634, 0.30561557, -0.21991038], "float32").reshape((1, 1, 1, 2, 4)),
    np.array([0.05488936, 0.20317498, -0.09976417, -0.31273842], "float32")])
actual = keras.ops.convert_to_numpy(layer(x))[0, 3, 0, 0, 1]
expected = -0.30611786  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00031, equal_nan=True) else 0)
