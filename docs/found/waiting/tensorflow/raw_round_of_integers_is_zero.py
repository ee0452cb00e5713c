# tf.raw_ops.Round of int32 and int64 gives zeros for every number.
# It was right in 2.16. Public: tensorflow/tensorflow#74789, #112212 and #112271.
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


x = tf.constant([-4, 1, 7], "int32")
found = tf.raw_ops.Round(x=x).numpy()
print(found, "tf.round:", tf.round(x).numpy())
raise SystemExit(0 if (found != x.numpy()).any() else 1)
