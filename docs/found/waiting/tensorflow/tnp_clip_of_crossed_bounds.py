# tf.experimental.numpy.clip with a_min above a_max gives a_min; NumPy documents a_max.
# tnp.clip refers to NumPy's documentation.
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


import tensorflow.experimental.numpy as tnp

found = tnp.clip(tnp.asarray([1.0, 2.0, 3.0]), 5.0, 0.0).numpy()
print(found, "NumPy:", np.clip([1.0, 2.0, 3.0], 5.0, 0.0))
raise SystemExit(0 if (found != 0.0).any() else 1)
