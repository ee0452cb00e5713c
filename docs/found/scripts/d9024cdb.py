# keras 3.15.1, numpy 2.4.6: keras.ops.lstsq(rcond=0.001) does not return on the numpy backend
# rcond: other values show it too
# exit 0: bug present, 1: not present, 2: cannot run here
import os
import subprocess
import sys

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "numpy")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

if sys.argv[1:] != ["child"]:  # the call does not return
    command = [sys.executable, __file__, "child"]
    try:
        child = subprocess.run(command, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        print("expected an answer, actual none within 60 seconds")
        raise SystemExit(0)
    print("expected an answer, actual exit code", child.returncode)
    raise SystemExit(2 if child.returncode == 2 else 1)

x = keras.ops.convert_to_tensor(np.array([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0], [0.0, np.nan, 0.0]],
    "float32"))
print(keras.ops.lstsq(x, x, rcond=0.001))
