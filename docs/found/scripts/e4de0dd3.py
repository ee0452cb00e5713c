# keras 3.15.1, tensorflow 2.21.0: keras.ops.irfft(fft_length=0) kills the process (SIGABRT) on the
#   tensorflow backend
# exit 0: bug present, 1: not present, 2: cannot run here
import os
import subprocess
import sys

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

if sys.argv[1:] != ["child"]:  # the call kills its process
    command = [sys.executable, __file__, "child"]
    child = subprocess.run(command, capture_output=True, text=True)
    code = child.returncode
    print("expected exit code 0, actual", code, child.stderr[-200:])
    raise SystemExit(2 if code == 2 else 0 if code < 0 else 1)

x = keras.ops.convert_to_tensor(np.array([0.0], "float32"))
print(keras.ops.irfft([x, x], fft_length=0))
