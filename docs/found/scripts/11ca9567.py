# tensorflow 2.21.0: tf.experimental.numpy.clip gives another result (f of the library ≡ NumPy's
#   function of the same name)
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # else the CPU decides
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = tf.constant(np.array(-0.3072557, "float32"))
x1 = tf.constant(np.array(1.0, "float32"))
x2 = tf.constant(np.array(-1.0, "float32"))


def fitted(found, first, numpy, tensor):
    """What NumPy found in the dtypes of the library, which has its own rules for them."""
    import numpy as np

    if isinstance(first, (tuple, list)):
        return [fitted(*pair, numpy=numpy, tensor=tensor) for pair in zip(found, first)]
    dtype = numpy(first).dtype
    found = np.asarray(found)
    narrow = dtype.kind in "fc" and found.dtype.itemsize < dtype.itemsize
    if narrow or dtype.kind not in "biufc" or found.dtype.kind == "O":
        raise NotImplementedError("NumPy computes it in a narrower format")
    return tensor(found.astype(dtype))


def tensorflow_numpy(function):
    import numpy as np
    import tensorflow as tf

    words = {"x": 0, "y": 1, "name": None}
    own = getattr(
        np, {"neg": "negative"}.get(function.__name__, function.__name__.replace("_v2", ""))
    )

    def second(*args, **kwargs):
        def array(value):
            return value.numpy() if isinstance(value, tf.Tensor) else value

        positional = [array(value) for value in args]
        positional += [array(kwargs[key]) for key in ("x", "y") if key in kwargs]
        named = {key: array(value) for key, value in kwargs.items() if key not in words}
        with np.errstate(all="ignore"):
            found = own(*positional, **named)
        return fitted(found, function(*args, **kwargs), lambda x: x.numpy(), tf.constant)

    return second


def values(result):
    parts = [part for part in tf.nest.flatten(result, expand_composites=True) if part is not None]
    return [np.asarray(np.asarray(part)) for part in parts]


tf.random.set_seed(0)
before = values(tf.experimental.numpy.clip(x0, x1, x2))
tf.random.set_seed(0)
after = values(tensorflow_numpy(tf.experimental.numpy.clip)(x0, x1, x2))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0.001, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
