# tensorflow 2.21.0: tf.math.log of complex numbers above 1.8e19 or below 1.1e-19 is NaN, but for the last elements
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

z = np.full(5, 1e20 + 1e20j, "complex64")
expected, actual = np.log(z), tf.math.log(z).numpy()
print("expected", expected, "actual", actual)
raise SystemExit(0 if np.isnan(actual).any() else 1)
