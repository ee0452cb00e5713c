# tensorflow 2.21.0: tf.raw_ops.DepthwiseConv2dNativeBackpropFilter of an empty tensor gives
#   different results in two runs
# exit 0: bug present, 1: not present, 2: cannot run here
import os
import subprocess
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # else the CPU decides
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

if sys.argv[1:] != ["child"]:  # it may kill its process, too
    command = [sys.executable, __file__, "child"]
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(child.stdout, end="")
    if child.returncode >= 0:
        raise SystemExit(child.returncode)
    print("expected an answer each time, actual signal", -child.returncode)
    raise SystemExit(0 if "calling" in child.stdout else 2)

x0 = tf.constant(np.zeros((2, 6, 0, 3), "float16"))
x1 = tf.constant(np.zeros((2, 6, 0, 6), "float16"))
first = None
print("calling", flush=True)
for run in range(100):
    try:
        actual = np.array(np.asarray(tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(
    strides=(1, 1, 1, 1),
    padding="SAME",
    input=x0,
    filter_sizes=(2, 3, 3, 2),
    out_backprop=x1,
)))
    except Exception as error:
        print(f"expected an answer, actual {type(error).__name__}: {error}")
        unknown = str(error).startswith("module ") or "unexpected keyword" in str(error)
        raise SystemExit(2 if unknown else 0)
    first = actual if first is None else first
    if not np.allclose(actual, first, 0, 1e-06, equal_nan=True):
        print("first run", first, "run", run + 1, actual)
        raise SystemExit(0)
    del actual  # and leave other numbers in its memory
    tf.constant(np.full(first.shape, run + 1, "float32")) * 2
print("100 runs agree")
raise SystemExit(1)
