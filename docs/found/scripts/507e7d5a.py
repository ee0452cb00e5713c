# keras 3.15.1, tensorflow 2.21.0: keras.layers.DepthwiseConv1D(data_format="channels_first",
#   kernel_size=1) gives -0.81513 instead of -0.519678 on the tensorflow backend
# depends on data_format="channels_first" and kernel_size=1 and the default strides and the default
#   use_bias and the default depth_multiplier: other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.array([[[1.0, 2.0], [-2.0, -1.0]]], "float32"))
layer = keras.layers.DepthwiseConv1D(data_format="channels_first", kernel_size=1)
layer.build((1, 2, 2))
layer.set_weights([np.array([[[-0.47273415], [0.1599042]]], "float32"), np.array([-0.49532145,
    -0.19986914], "float32")])
actual = keras.ops.convert_to_numpy(layer(x))
# float64 reference, keras-jax, keras-torch:
expected = np.array([[[-0.9680556, -1.4407897], [-0.5196775, -0.35977334]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00082, equal_nan=True) else 0)
