# tensorflow 2.21.0: tf.raw_ops.AvgPoolGrad writes beyond its result and kills the process where the gradient has more channels than the input
# met by hand: crash, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import os
import subprocess
import sys

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
try:
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

if sys.argv[1:] != ["child"]:  # the call kills its process
    command = [sys.executable, __file__, "child"]
    child = subprocess.run(command, capture_output=True, text=True)
    code = child.returncode
    print("expected no signal, actual exit code", code)
    raise SystemExit(2 if code == 2 else 0 if code < 0 else 1)

print(tf.raw_ops.AvgPoolGrad(
    orig_input_shape=[1, 2, 2, 1], grad=tf.ones((1, 1, 1, 100000)), ksize=[1, 2, 2, 1],
    strides=[1, 2, 2, 1], padding="VALID"))
