# tensorflow 2.21.0: tf.raw_ops.BlockLSTM kills the process (SIGABRT) where seq_len_max is negative or longer than the input
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

z = tf.zeros
print(tf.raw_ops.BlockLSTM(
    seq_len_max=tf.constant(2, tf.int64), x=z((1, 1, 1)), cs_prev=z((1, 1)), h_prev=z((1, 1)),
    w=z((2, 4)), wci=z(1), wcf=z(1), wco=z(1), b=z(4)))
