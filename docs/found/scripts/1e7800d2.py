# tensorflow 2.21.0: tf.nn.leaky_relu rounds its slope to float32 in float64
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
try:
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

actual = float(tf.nn.leaky_relu(tf.constant(-1.0, tf.float64), alpha=0.2))
print("expected -0.2 actual", actual)
raise SystemExit(1 if actual == -0.2 else 0)
