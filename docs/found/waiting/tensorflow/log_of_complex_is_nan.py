# tf.math.log of a complex tensor: NaN for |z| above 1.8e19 or below 1.08e-19, but for the last elements.
# Public, for large |z| only: tensorflow/tensorflow#118034.
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


z = np.full(9, 1e-20 + 1e-20j, "complex64")
found = tf.math.log(tf.constant(z)).numpy()
print(found, "NumPy:", np.log(z[:1]))
raise SystemExit(0 if np.isnan(found).any() else 1)
