# tensorflow 2.21.0: tf.raw_ops.FractionalMaxPool(pooling_ratio=(1.0, 1.5, 1.5, 1.0)) gives another
#   shape (announced shape and dtype ≡ computed ones)
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # else the CPU decides
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = tf.constant(np.ones((2, 2, 2, 2), "float32"))


def tensorflow_described(shape, dtype):
    import tensorflow as tf

    # A shape as zeros, a format by the letters of its name: all of it is compared.
    return [tf.zeros(shape, tf.int8), tf.constant(list(dtype.name.encode()), tf.int32)]


def seen_by_tensorflow(function):
    import tensorflow as tf

    def first(*args, **kwargs):
        items = tf.nest.flatten(function(*args, **kwargs))
        return [part for item in items for part in tensorflow_described(item.shape, item.dtype)]

    return first


def told_by_tensorflow(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        def unknown(value):
            # Of the axes nothing is known but how many there are.
            return tf.TensorSpec([None] * len(value.shape), value.dtype)

        places = [i for i, value in enumerate(args) if tf.is_tensor(value)]

        def again(*tensors):
            mine = list(args)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            return function(*mine, **kwargs)

        specs = [unknown(args[place]) for place in places]
        graph = tf.function(again).get_concrete_function(*specs)
        result = tf.nest.flatten(function(*args, **kwargs))
        told = tf.nest.flatten(graph.structured_outputs)
        found = []
        for item, spec in zip(result, told):
            fits = spec.shape.is_compatible_with(item.shape)
            shape = item.shape if fits else [0] + list(item.shape)
            found += tensorflow_described(shape, spec.dtype)
        return found

    return second


def values(result):
    parts = [part for part in tf.nest.flatten(result, expand_composites=True) if part is not None]
    return [np.asarray(np.asarray(part)) for part in parts]


tf.random.set_seed(0)
before = values(seen_by_tensorflow(tf.raw_ops.FractionalMaxPool)(value=x0, pooling_ratio=(1.0, 1.5,
    1.5, 1.0)))
tf.random.set_seed(0)
after = values(told_by_tensorflow(tf.raw_ops.FractionalMaxPool)(value=x0, pooling_ratio=(1.0, 1.5,
    1.5, 1.0)))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
