# With oneDNN tf.nn.max_pool2d ends the process (SIGFPE) where the result is empty: a window one longer than the picture.
# Public: tensorflow/tensorflow#125509, #94120 and #99921.
# Seen with TensorFlow 2.21.0 on a CPU.
# exit 0: bug present, 1: not present, 2: cannot run here
import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("tensorflow") is None:
    print("cannot run: tensorflow is not installed")
    raise SystemExit(2)
CODE = """
import os
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
import tensorflow as tf
print(tf.constant(1).numpy(), flush=True)
print(tf.nn.max_pool2d(tf.ones((2, 6, 6, 4)), 7, 1, "VALID").shape)
"""
environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True)
print(done.stdout, done.stderr[-800:], "exit code", done.returncode)
if not done.stdout:
    raise SystemExit(2)  # it did not come to the call
# A negative code is a signal: the process died instead of raising an exception.
raise SystemExit(0 if done.returncode < 0 else 1)
