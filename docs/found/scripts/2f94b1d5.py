# tensorflow 2.21.0: tf.experimental.numpy.isposinf raises InvalidArgumentError (f(x) ≡ f of two
#   parts of x, joined)
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # else the CPU decides
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = tf.constant(np.zeros((2, 2, 2), "int32"))


def tensorflow_parts(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        values = list(args) + list(kwargs.values())
        tensors = [value for value in values if isinstance(value, tf.Tensor)]
        rank = max(len(tensor.shape) for tensor in tensors)
        firsts = [tensor.shape[0] for tensor in tensors if len(tensor.shape) == rank and rank]
        length = max(firsts + [0])
        if length < 2:
            raise NotImplementedError("nothing to split")

        def part(value, start, stop):
            splits = isinstance(value, tf.Tensor) and len(value.shape) == rank
            return value[start:stop] if splits and value.shape[0] == length else value

        results = []
        for ends in ((0, 1), (1, length)):
            named = {key: part(value, *ends) for key, value in kwargs.items()}
            results.append(function(*[part(value, *ends) for value in args], **named))
        if isinstance(results[0], (tuple, list)):
            return tuple(tf.concat(pieces, 0) for pieces in zip(*results))
        return tf.concat(results, 0)

    return second


def values(result):
    parts = [part for part in tf.nest.flatten(result, expand_composites=True) if part is not None]
    return [np.asarray(np.asarray(part)) for part in parts]


tf.random.set_seed(0)
before = values(tf.experimental.numpy.isposinf(x0))
tf.random.set_seed(0)
try:
    after = values(tensorflow_parts(tf.experimental.numpy.isposinf)(x0))
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("no exception")
raise SystemExit(1)
