# tensorflow+onednn 2.21.0: tf.nn.max_pool2d with oneDNN kills the process (SIGFPE) where its result is empty
# met by hand: crash, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import os
import subprocess
import sys

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
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

print(tf.nn.max_pool2d(tf.ones((2, 6, 6, 4)), 7, 1, "VALID"))
