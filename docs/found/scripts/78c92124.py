# keras 3.15.1, torch 2.13.0+cpu: keras.optimizers.Lion() gives 1 instead of nan on the torch
#   backend
# depends on the default gradient_accumulation_steps: other values that were tried do not show it
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

x0 = keras.ops.convert_to_tensor(np.array([1.0, 2.0], "float32"))
x1 = keras.ops.convert_to_tensor(np.array([np.nan, -0.6553199], "float32"))
optimizer = keras.optimizers.Lion()
variable = keras.Variable(x0, dtype=x0.dtype)
optimizer.build([variable])
optimizer.apply([x1], [variable])
actual = keras.ops.convert_to_numpy(variable.value)
expected = np.array([np.nan, 2.001], "float32")  # float64 reference, keras-tensorflow, keras-jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.002, equal_nan=True) else 0)
