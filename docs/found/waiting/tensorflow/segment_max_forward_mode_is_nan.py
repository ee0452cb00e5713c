# The forward-mode derivative of segment_max and unsorted_segment_max is NaN for a segment without elements.
# Reverse mode is right. Public: tensorflow/tensorflow#57002; segment_mean had the same, #127233, and is repaired.
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


x = tf.constant([1.0, 2.0, 3.0])
wrong = False
calls = [
    lambda x: tf.math.unsorted_segment_max(x, [0, 2, 2], 3),
    lambda x: tf.math.unsorted_segment_min(x, [0, 2, 2], 3),
    lambda x: tf.math.segment_max(x, [0, 2, 2]),
]
for call in calls:
    with tf.autodiff.ForwardAccumulator(x, tf.ones(3)) as accumulator:
        y = call(x)
    slope = accumulator.jvp(y)
    print(y.numpy(), slope.numpy())
    wrong = wrong or bool(np.isnan(slope.numpy()).any())
raise SystemExit(0 if wrong else 1)
