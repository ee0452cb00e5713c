# tf.sparse.concat documents a list or tuple of sparse tensors; a tuple raises TypeError.
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


one = tf.sparse.from_dense([[1.0]])
print(tf.sparse.to_dense(tf.sparse.concat(0, [one, one])))
try:
    print(tf.sparse.concat(0, (one, one)))
except TypeError as error:
    print(error)
    raise SystemExit(0)
raise SystemExit(1)
