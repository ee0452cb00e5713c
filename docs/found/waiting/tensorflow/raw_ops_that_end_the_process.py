# Seven raw operators that end the process (SIGABRT, SIGFPE, SIGSEGV) instead of raising InvalidArgumentError.
# Seven kernels, so seven causes: each needs a page and a script of its own.
# Public: AvgPoolGrad tensorflow/tensorflow#63353; BlockLSTM #125400 (repaired in the repository); CTCLoss #112407
# (repaired in Python only, #112645); FractionalAvgPoolGrad #107123; none is known of the other three.
# Seen with TensorFlow 2.21.0 on a CPU; each call runs in a process of its own.
# exit 0: bug present (some die), 1: not present, 2: cannot run here
import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("tensorflow") is None:
    print("cannot run: tensorflow is not installed")
    raise SystemExit(2)
HEAD = """
import os
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import tensorflow as tf
raw, z, o = tf.raw_ops, tf.zeros, tf.ones
q = lambda *shape: tf.bitcast(tf.ones(shape, tf.uint8), tf.quint8)
cell = dict(cs_prev=z((2, 3)), h_prev=z((2, 3)), w=z((7, 12)), wci=z(3), wcf=z(3), wco=z(3), b=z(12))
print(tf.constant(1).numpy(), flush=True)
"""
CALLS = {
    "AvgPoolGrad, gradient with other channels": """raw.AvgPoolGrad(orig_input_shape=[2, 6, 6, 3],
        grad=o((2, 3, 3, 7)), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")""",
    "BlockLSTM, negative seq_len_max": """raw.BlockLSTM(x=z((5, 2, 4)),
        seq_len_max=tf.constant(-2, tf.int64), **cell)""",
    "CTCLoss, no classes": """raw.CTCLoss(inputs=z((5, 2, 0)), labels_values=[1, 2, 1],
        labels_indices=tf.constant([[0, 0], [0, 1], [1, 0]], tf.int64), sequence_length=[5, 4])""",
    "Conv3DBackpropInputV2, no channels": """raw.Conv3DBackpropInputV2(input_sizes=[2, 4, 5, 4, 3],
        filter=z((2, 3, 2, 3, 0)), out_backprop=z((2, 4, 5, 4, 0)), strides=[1] * 5, padding="SAME")""",
    "FractionalAvgPoolGrad, larger batch": """raw.FractionalAvgPoolGrad(
        orig_input_tensor_shape=tf.constant([2, 6, 6, 3], tf.int64), out_backprop=o((7, 4, 4, 3)),
        row_pooling_sequence=tf.constant([0, 2, 3, 5, 6], tf.int64),
        col_pooling_sequence=tf.constant([0, 1, 3, 4, 6], tf.int64))""",
    "QuantizedConv2D, no filters": """raw.QuantizedConv2D(input=q(2, 6, 5, 3), filter=q(2, 3, 3, 0),
        min_input=-1.0, max_input=1.0, min_filter=-1.0, max_filter=1.0, strides=[1] * 4, padding="SAME")""",
    "QuantizedInstanceNorm, no channels": """raw.QuantizedInstanceNorm(x=q(2, 6, 5, 0), x_min=-1.0,
        x_max=1.0)""",
}
dead = []
for name, call in CALLS.items():
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
    done = subprocess.run([sys.executable, "-c", HEAD + call], env=environment, capture_output=True, text=True)
    told = "raises or works" if done.returncode >= 0 else "dies of signal %d" % -done.returncode
    print(name + ":", told, flush=True)
    if not done.stdout:
        raise SystemExit(2)
    if done.returncode < 0:
        dead.append(name)
    elif done.returncode:
        print(done.stderr[-300:])
raise SystemExit(0 if dead else 1)
