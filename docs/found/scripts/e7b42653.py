# tensorflow 2.21.0: tf.raw_ops.SqrtGrad gives another result (eager ≡
#   tf.function(jit_compile=True))
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # else the CPU decides
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = tf.constant(np.array(complex(3.288674e-39, 1.0), "complex64"))
x1 = tf.constant(np.array(complex(1.0, 0.0), "complex64"))


def compiled(function):
    import tensorflow as tf

    def again(*args, **kwargs):
        return function(*args, **kwargs)  # by name what was given by name: some take nothing else

    return tf.function(again, jit_compile=True, autograph=False)


def values(result):
    parts = [part for part in tf.nest.flatten(result, expand_composites=True) if part is not None]
    return [np.asarray(np.asarray(part)) for part in parts]


tf.random.set_seed(0)
before = values(tf.raw_ops.SqrtGrad(y=x0, dy=x1))
tf.random.set_seed(0)
after = values(compiled(tf.raw_ops.SqrtGrad)(y=x0, dy=x1))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0.0005, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
