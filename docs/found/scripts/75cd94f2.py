# tensorflow 2.21.0: tf.math.segment_max has a forward-mode derivative of NaN for a segment without elements (segment_min, unsorted_segment_max and _min alike)
# met by hand: equivalence, forward
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

x = tf.constant([1.0, 2.0, 3.0])
with tf.autodiff.ForwardAccumulator(x, tf.ones(3)) as accumulator:
    largest = tf.math.segment_max(x, [0, 2, 2])
actual = accumulator.jvp(largest).numpy()
print("expected [1. 0. 1.] actual", actual)
raise SystemExit(1 if (actual == [1.0, 0.0, 1.0]).all() else 0)
