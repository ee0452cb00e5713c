# keras 3.15.1, jax 0.10.2: keras.layers.ZeroPadding2D gives another shape (announced shape and
#   dtype ≡ computed ones)
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = keras.ops.convert_to_tensor(np.zeros((1, 2, 2, 2), "int32"))


def keras_described(shape, dtype):
    import keras

    # A shape as zeros, a format by the letters of its name: all of it is compared.
    letters = keras.ops.convert_to_tensor(list(dtype.encode()), "int32")
    return [keras.ops.zeros(shape, "int8"), letters]


def seen_by_keras(function):
    import keras

    def first(*args, **kwargs):
        results = keras.tree.flatten(function(*args, **kwargs))
        dtype = keras.backend.standardize_dtype
        described = [keras_described(tuple(x.shape), dtype(x.dtype)) for x in results * 2]
        return [part for parts in described for part in parts]

    return first


def told_by_keras(function):
    import keras

    narrow = False
    if keras.backend.backend() == "jax":
        import jax

        # It makes 32 bits of 64 unless it is told not to, and says so.
        narrow = not jax.config.jax_enable_x64

    def second(*args, **kwargs):
        results = keras.tree.flatten(function(*args, **kwargs))
        found = []
        # A layer has a batch on its first axis, of which nothing need be known.
        for known in (True, not isinstance(function, keras.layers.Layer)):

            def symbol(value, known=known):
                if not keras.ops.is_tensor(value):
                    return value
                shape = tuple(value.shape)
                shape = shape if known or not shape else (None,) + shape[1:]
                return keras.KerasTensor(shape, keras.backend.standardize_dtype(value.dtype))

            own, named = keras.tree.map_structure(symbol, (list(args), kwargs))
            told = keras.tree.flatten(function(*own, **named))
            for item, spec in zip(results, told):
                pairs = list(zip(spec.shape, item.shape))
                fits = len(spec.shape) == len(item.shape) and all(a in (None, b) for a, b in pairs)
                shape = tuple(item.shape) if fits else (0,) + tuple(item.shape)
                dtype = spec.dtype.replace("64", "32") if narrow else spec.dtype
                found += keras_described(shape, dtype)
        return found

    return second


def values(result):
    parts = [part for part in keras.tree.flatten(result) if part is not None]
    return [np.asarray(keras.ops.convert_to_numpy(part)) for part in parts]


keras.utils.set_random_seed(0)
module = keras.layers.ZeroPadding2D()
keras.utils.set_random_seed(0)
before = values(seen_by_keras(module)(x0))
keras.utils.set_random_seed(0)
after = values(told_by_keras(module)(x0))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
