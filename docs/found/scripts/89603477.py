# keras 3.15.1, tensorflow 2.21.0: keras.losses.CTC() gives 706.894 instead of 496972 on the
#   tensorflow backend
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

labels = keras.ops.convert_to_tensor(np.array([[1, 1, 1]], "int32"))
predictions = keras.ops.convert_to_tensor(np.array([1.0, 2.0, 1.5, -0.5, 0.5, -1.0, -1.5, 18392.969,
    478573.25, -2.0], "float32").reshape((1, 5, 2)))
actual = keras.ops.convert_to_numpy(keras.losses.CTC()(labels, predictions))
expected = 496971.88  # float64 reference, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=5e+02, equal_nan=True) else 0)
