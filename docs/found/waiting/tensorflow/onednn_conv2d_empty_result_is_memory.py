# With oneDNN (TensorFlow's own choice on many CPUs) conv2d gives uninitialised memory where its result is empty.
# It has the shape of the input: a kernel that is one longer than the picture, padding VALID.
# Public: tensorflow/tensorflow#109175.
# Seen with TensorFlow 2.21.0 on a CPU.
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)


y = tf.nn.conv2d(tf.ones((2, 6, 6, 4)), tf.ones((7, 7, 4, 2)), 1, "VALID")
print("shape", y.shape, "where [2, 0, 0, 2] is right:", y.numpy().ravel()[:8])
raise SystemExit(0 if tuple(y.shape) != (2, 0, 0, 2) else 1)
