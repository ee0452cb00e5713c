# keras 3.15.1, tensorflow 2.21.0: keras.layers.MultiHeadAttention(num_heads=2, key_dim=1) gives
#   0.00531846 instead of -0.0188411 on the tensorflow backend
# depends on num_heads=2 and key_dim=1 and the default use_bias: other values that were tried do not
#   show it
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

x0 = keras.ops.convert_to_tensor(np.ones((1, 2, 2), "float32"))
x1 = keras.ops.convert_to_tensor(np.ones((1, 2, 2), "float32"))
x2 = keras.ops.convert_to_tensor(np.ones((1, 2, 2), "float32"))
layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=1)
layer(x0, x1, x2)
layer.set_weights([np.array([[[-0.4046963], [-0.48882234]], [[0.04755953], [-0.32131743]]],
    "float32"), np.array([[0.2566346], [-0.22830048]], "float32"), np.array([[[-0.20557357],
    [0.3786479]], [[0.46911854], [-0.07195829]]], "float32"), np.array([[0.14109507], [0.01767766]],
    "float32"), np.array([[[0.21645895], [0.39755115]], [[-0.06576065], [-0.19915783]]], "float32"),
    np.array([[-0.40992734], [-0.24232624]], "float32"), np.array([[[0.17348474, -0.070948035]],
    [[0.3595699, -0.37240106]]], "float32"), np.array([0.083153464, -0.053593542], "float32")])
actual = keras.ops.convert_to_numpy(layer(x0, x1, x2))
# float64 reference, keras-jax, keras-torch:
expected = np.array([[[0.02238422, -0.018841082], [0.02238422, -0.018841082]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=1.9e-05, equal_nan=True) else 0)
