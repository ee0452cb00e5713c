# keras 3.15.1, torch 2.13.0+cpu: keras.layers.SimpleRNN(stateful=True, dtype="mixed_float16") gives
#   1 instead of 3 on the torch backend
# depends on stateful=True: other values that were tried do not show it; units: other values show it
#   too; activation: some other values show it, some do not
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

x = keras.ops.convert_to_tensor(np.zeros((1, 2, 2), "float32"))
layer = keras.layers.SimpleRNN(units=1, activation=None, stateful=True, dtype="mixed_float16")
layer.build((1, 2, 2))
variables = [*layer.weights, *keras.tree.flatten(layer.states)]
for variable, value in zip(variables, [np.array([[1.0], [1.0]], "float32"), np.array([[1.0]],
    "float32"), np.array([1.0], "float32"), np.array([[1.0]], "float32")]):
    variable.assign(value)
layer(x, training=True)
actual = keras.ops.convert_to_numpy([w for w in variables if not w.trainable][0])
expected = np.array([[3.0]], "float32")  # float64 reference, keras-tensorflow, keras-numpy
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.3, equal_nan=True) else 0)
