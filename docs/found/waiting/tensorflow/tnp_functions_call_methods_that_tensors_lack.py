# tf.experimental.numpy: sin of whole numbers, around, round, isnan, take_along_axis without an axis raise AttributeError: they call astype and ravel.
# With experimental_enable_numpy_behavior() they work. Public: tensorflow/tensorflow#124957 and #126231, merged, of which neither is
# about take_along_axis.
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

calls = {
    "sin([1])": lambda: tnp.sin([1]),
    "around([1.5])": lambda: tnp.around(tnp.asarray([1.5])),
    "isnan(whole numbers)": lambda: tnp.isnan(tf.constant([1])),
    "take_along_axis(…, None)": lambda: tnp.take_along_axis(tnp.asarray([[1.0]]), tnp.asarray([0]), None),
}
failed = []
for name, call in calls.items():
    try:
        print(name, call())
    except AttributeError as error:
        print(name, "AttributeError:", str(error).splitlines()[0])
        failed.append(name)
raise SystemExit(0 if failed else 1)
