# tf.experimental.numpy.isneginf and isposinf of integers or booleans give Python's False, not a tensor of the input's shape.
# Public: tensorflow/tensorflow#124958 (closed) and #126895 (merged).
# Seen with TensorFlow 2.21.0 on a CPU.
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)


import tensorflow.experimental.numpy as tnp

x = tf.zeros((2, 3), tf.int32)
found = [tnp.isneginf(x), tnp.isposinf(x)]
print(found, "NumPy:", np.isneginf(x.numpy()))
raise SystemExit(0 if any(np.shape(item) != (2, 3) for item in found) else 1)
