# keras 3.15.1, tensorflow 2.21.0: keras.layers.EinsumDense(bias_axes="b") gives -0.273713 instead
#   of 0.221855 on the tensorflow backend
# depends on bias_axes="b": other values that were tried do not show it
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

x = keras.ops.convert_to_tensor(np.ones((1, 3, 2), "float32"))
layer = keras.layers.EinsumDense(equation="abc,cd->abd", output_shape=(3, 3), bias_axes="b")
layer.build((1, 3, 2))
layer.set_weights([np.array([-0.06929099, -0.3788877, 0.49680883, 0.14347512, 0.08356716,
    0.16683462], "float32").reshape((2, 3)), np.array([[-0.34789687], [0.14767072], [-0.34539062]],
    "float32")])
actual = keras.ops.convert_to_numpy(layer(x))[0, 1, 0]
expected = 0.22185484  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00027, equal_nan=True) else 0)
