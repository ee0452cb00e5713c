# tensorflow+onednn 2.21.0: tf.nn.conv2d with oneDNN gives uninitialised memory where its result is empty
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

actual = tf.nn.conv2d(tf.ones((2, 6, 6, 4)), tf.ones((7, 7, 4, 2)), 1, "VALID")
print("expected (2, 0, 0, 2) actual", tuple(actual.shape), actual.numpy().ravel()[:8])
raise SystemExit(1 if tuple(actual.shape) == (2, 0, 0, 2) else 0)
