# tf.random.stateless_poisson and tf.random.poisson never return for a rate of NaN.
# One sampler, of which the first is run here. Public: tensorflow/tensorflow#55243, about the second.
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
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import tensorflow as tf
print(tf.constant(1).numpy(), flush=True)
print(tf.random.stateless_poisson([1], [1, 2], [float("nan")], tf.float32))
"""
environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
process = subprocess.Popen([sys.executable, "-c", CODE], env=environment, stdout=subprocess.PIPE)
if not process.stdout.readline():
    raise SystemExit(2)  # it did not come to the call
try:
    process.wait(20)
    print("ended with", process.returncode)
    raise SystemExit(1)
except subprocess.TimeoutExpired:
    process.kill()
    print("still at work after 20 seconds")
    raise SystemExit(0)
