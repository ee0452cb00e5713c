# keras 3.15.1, tensorflow 2.21.0: keras.ops.stft(sequence_length=1, sequence_stride=1,
#   fft_length=4, window=None) gives -1.14793 instead of 0.125191 on the tensorflow and jax backends
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

x = keras.ops.convert_to_tensor(np.array([-0.2918292, -0.4906449, 0.12519117], "float32"))
actual = keras.ops.convert_to_numpy(keras.tree.flatten(keras.ops.stft(x, sequence_length=1, sequence_stride=1, fft_length=4, window=None))[0])[3, 0]
expected = 0.12519117  # float64 reference, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0011, equal_nan=True) else 0)
