# keras 3.15.1, jax 0.10.2: keras.ops.istft(fft_length=4, sequence_length=4, sequence_stride=1)
#   raises RuntimeError or ZeroDivisionError on the jax and torch backends
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

x = keras.ops.convert_to_tensor(np.zeros((0, 5, 3), "float32"))
try:
    result = keras.ops.istft([x, x], fft_length=4, sequence_length=4, sequence_stride=1)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
