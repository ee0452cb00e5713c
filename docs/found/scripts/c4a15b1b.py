# keras 3.15.1, torch 2.13.0+cpu: keras.ops.kron raises RuntimeError on the torch backend
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

x0 = keras.ops.convert_to_tensor(np.full((1, 6, 5), np.inf, "float32"))
x1 = keras.ops.convert_to_tensor(np.array([1.0, 1.0, 4096.0073, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
    4096.0215, 1.0, 1.0, 4095.976, 4095.9885, 1.0, 1.0, 4095.9788, 1.0], "float32").reshape((2, 3,
    3)))
try:
    layer_n0 = keras.layers.DepthwiseConv1D(data_format="channels_last", kernel_size=3, strides=2, activation="tanh", use_bias=True, depth_multiplier=1)
    n0 = layer_n0(x0)
    result = keras.ops.kron(n0, x1)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
