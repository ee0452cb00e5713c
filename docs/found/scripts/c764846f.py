# keras 3.15.1, tensorflow 2.21.0: keras.ops.stft(sequence_length=3, sequence_stride=1,
#   fft_length=3) gives 0.236642 instead of 0.993833 on the tensorflow backend
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

x = keras.ops.convert_to_tensor(np.array([0.23664208, 1.0884682], "float32"))
actual = keras.ops.convert_to_numpy(keras.tree.flatten(keras.ops.stft(x, sequence_length=3, sequence_stride=1, fft_length=3))[0])
# float64 reference, keras-jax, keras-torch:
expected = np.array([[0.9938327, -0.49691635], [0.9938327, -0.49691635]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.00099, equal_nan=True) else 0)
