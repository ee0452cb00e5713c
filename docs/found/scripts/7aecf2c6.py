# keras 3.15.1, tensorflow 2.21.0: keras.ops.istft(fft_length=8, sequence_length=8,
#   sequence_stride=1) gives -0.0892657 instead of -0.154926 on the tensorflow backend
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

x0 = keras.ops.convert_to_tensor(np.zeros((2, 5), "float32"))
x1 = keras.ops.convert_to_tensor(np.array([1.1233082, -1.0493189, 1.7743951, 0.9556247, 1.0593609,
    0.72524375, 0.9239815, -0.08358785, 0.73261076, 0.9746672], "float32").reshape((2, 5)))
actual = keras.ops.convert_to_numpy(keras.ops.istft([x0, x1], fft_length=8, sequence_length=8, sequence_stride=1))
expected = np.array([-0.15492558], "float32")  # float64 reference, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00015, equal_nan=True) else 0)
