# tensorflow 2.21.0: tf.nn.gelu has the accuracy of single precision in float64: its constants are rounded to float32
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import math
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
try:
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

expected = -0.5 * math.erfc(1 / math.sqrt(2))
actual = float(tf.nn.gelu(tf.constant(-1.0, tf.float64)))
print("expected", expected, "actual", actual)
raise SystemExit(1 if abs(actual - expected) <= 1e-14 else 0)
