# tensorflow 2.21.0: tf.raw_ops.Round of int32 and int64 gives zeros
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

expected = np.array([-4, 1, 7], "int32")
actual = tf.raw_ops.Round(x=expected).numpy()
print("expected", expected, "actual", actual)
raise SystemExit(1 if (actual == expected).all() else 0)
