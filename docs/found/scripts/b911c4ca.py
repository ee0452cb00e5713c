# keras 3.15.1, jax 0.10.2: keras.losses.SparseCategoricalCrossentropy(axis=1) raises ValueError on
#   the jax backend
# axis: other values show it too
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "jax")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

labels = keras.ops.convert_to_tensor(np.array([[0, 0]], "int32"))
predictions = keras.ops.convert_to_tensor(np.ones((1, 1, 2), "float32"))
try:
    result = keras.losses.SparseCategoricalCrossentropy(axis=1)(labels, predictions)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
