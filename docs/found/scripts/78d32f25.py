# keras 3.15.1, numpy 2.4.6: keras.ops.istft(fft_length=4, sequence_length=4, sequence_stride=2,
#   window=None) gives 14 instead of 7 on every backend
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "numpy")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = keras.ops.convert_to_tensor(np.arange(8, dtype="float32"))
settings = {"sequence_length": 4, "sequence_stride": 2, "fft_length": 4, "window": None}
parts = keras.ops.stft(x, **settings)
actual = keras.ops.convert_to_numpy(keras.ops.istft(parts, **settings))
expected = np.arange(8, dtype="float32")  # what was transformed
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.012, equal_nan=True) else 0)
