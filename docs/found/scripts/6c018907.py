# keras 3.15.1, tensorflow 2.21.0: keras.losses.SparseCategoricalCrossentropy() gives 1.09861 instead
#   of 0.693147 on the tensorflow backend
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

labels = keras.ops.convert_to_tensor(np.array([0], "int32"))
predictions = keras.ops.convert_to_tensor(np.array([[2.0, 1.0, 1.0]], "float32"))
actual = keras.ops.convert_to_numpy(
    keras.losses.SparseCategoricalCrossentropy()(labels, predictions))
expected = 0.6931472  # -log(2/4), keras-jax, keras-torch, and CategoricalCrossentropy
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
