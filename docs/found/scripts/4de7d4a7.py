# keras 3.15.1, tensorflow 2.21.0: keras.layers.MelSpectrogram(…) gives -90.257 instead of -12.7558
#   on the tensorflow backend
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

x = keras.ops.convert_to_tensor(np.array([0.0, 0.30722442, 0.0], "float32"))
layer = keras.layers.MelSpectrogram(fft_length=4, sequence_stride=1, sequence_length=3, sampling_rate=8, num_mel_bins=1, min_freq=0.0)
actual = keras.ops.convert_to_numpy(layer(x))
expected = np.full((1, 4), -12.755851, "float32")  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.09, equal_nan=True) else 0)
