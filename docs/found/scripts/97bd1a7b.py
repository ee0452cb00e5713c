# tensorflow 2.21.0: tf.random.stateless_poisson of a rate of NaN does not return (tf.random.poisson alike)
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

if sys.argv[1:] != ["child"]:  # the call does not return
    command = [sys.executable, __file__, "child"]
    try:
        child = subprocess.run(command, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        print("expected an answer, actual none within 60 seconds")
        raise SystemExit(0)
    print("expected an answer, actual exit code", child.returncode)
    raise SystemExit(2 if child.returncode == 2 else 1)

print(tf.random.stateless_poisson([1], [1, 2], [float("nan")], tf.float32))
