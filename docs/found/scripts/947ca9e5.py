# tensorflow 2.21.0: tf.experimental.numpy.around raises AttributeError: it calls a method that tensors do not have (sin, isnan, take_along_axis alike)
# met by hand: error, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

import tensorflow.experimental.numpy as tnp

calls = {
    "around([1.5])": lambda: tnp.around([1.5]),
    "sin([1])": lambda: tnp.sin([1]),
    "isnan([1])": lambda: tnp.isnan([1]),
    "take_along_axis([[1.0]], [0], None)": lambda: tnp.take_along_axis([[1.0]], [0], None),
}
failed = []
for name, call in calls.items():
    try:
        call()
    except Exception as error:
        failed.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
print("expected no exception, actual", failed)
raise SystemExit(0 if failed else 1)
