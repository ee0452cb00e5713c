# keras 3.15.1, tensorflow 2.21.0: keras.layers.SeparableConv1D(filters=3,
#   data_format="channels_first", kernel_size=1, strides=2) gives 0.393552 instead of -0.262373 on
#   the tensorflow backend
# depends on filters=3 and data_format="channels_first" and kernel_size=1 and strides=2 and the
#   default use_bias: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[[1.0, 2.0, 0.5, -1.0, 1.5], [-2.0, -0.5, -1.5, 0.2,
    0.8]]], "float32"))
layer = keras.layers.SeparableConv1D(filters=3, data_format="channels_first", kernel_size=1, strides=2)
layer.build((1, 2, 5))
layer.set_weights([np.array([[[0.2587445], [-0.38023877]]], "float32"), np.array([0.26813212,
    0.3156673, 0.3744621, -0.32202372, 0.3383378, 0.055704683], "float32").reshape((1, 2, 3)),
    np.array([-0.16131864, -0.28196904, 0.37395525], "float32")])
actual = keras.ops.convert_to_numpy(layer(x))[0, 1, 2]
expected = -0.26237258  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00039, equal_nan=True) else 0)
