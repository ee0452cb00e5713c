# tensorflow 2.21.0: tf.nn.gelu gives another result (f ≡ the formula of its documentation)
# exit 0: bug present, 1: not present, 2: cannot run here
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # else the CPU decides
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = tf.constant(np.array([-0.9396815034117585, -0.09719404457770442, -0.020763649228001224,
    0.5887128632652339, -0.8151478888828689], "float64"))


def documented(plain, own, wide, double=False):
    """``wide``, except where the plain call is what the formula itself gives in its own format.

    In ``double`` precision the formula loses as much, but of more digits.
    """
    import numpy as np

    near, far = (1e-9, 1e-10) if double else (1e-3, 1e-4)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(plain), np.abs(own))
        largest = np.max(size[np.isfinite(size)], initial=0.0)
        loss = np.abs(plain - own) <= np.maximum(near * size, far * largest)
    return np.where(loss, plain, wide)


def tensorflow_formula(function, called=""):
    import tensorflow as tf

    def normalised(x, mean, variance, offset, scale, variance_epsilon):
        result = (x - mean) / tf.sqrt(variance + variance_epsilon)
        result = result if scale is None else result * scale
        return result if offset is None else result + offset

    def shares(x, axis=-1):
        powers = tf.exp(x - tf.reduce_max(x, axis, keepdims=True))
        return powers / tf.reduce_sum(powers, axis, keepdims=True)

    def summed(x, axis=None, keepdims=False):
        # Less the largest: else double precision is left, as well.
        most = tf.reduce_max(x, axis, True)
        least = tf.math.log(tf.reduce_sum(tf.exp(x - most), axis, keepdims))
        return least + tf.reshape(most, least.shape)

    def swish(x, beta=1.0):
        return x / (1 + tf.exp(-beta * x))

    def gelu(x, approximate=False):
        if approximate:
            return 0.5 * x * (1 + tf.tanh((2 / 3.141592653589793) ** 0.5 * (x + 0.044715 * x**3)))
        return 0.5 * x * (1 + tf.math.erf(x / 2**0.5))

    def crossed(labels, logits):
        return labels * tf.math.log(1 + tf.exp(-logits)) + (1 - labels) * (
            logits + tf.math.log(1 + tf.exp(-logits))
        )

    name = called or function.__name__
    formulas = {
        "sigmoid": lambda x: 1 / (1 + tf.exp(-x)),
        "log_sigmoid": lambda x: tf.minimum(x, 0) - tf.math.log1p(tf.exp(-tf.abs(x))),
        "softplus": lambda x: tf.math.log(tf.exp(x) + 1),
        "softsign": lambda x: x / (tf.abs(x) + 1),
        "elu": lambda x: tf.where(x > 0, x, tf.exp(x) - 1),
        "relu": lambda x: tf.maximum(x, 0),
        "relu6": lambda x: tf.minimum(tf.maximum(x, 0), 6),
        "leaky_relu": lambda x, alpha=0.2: tf.where(x > 0, x, alpha * x),
        "swish": swish,
        "silu": swish,
        "gelu": gelu,
        "softmax": shares,
        "log_softmax": lambda x, axis=-1: x - summed(x, axis, True),
        "expm1": lambda x: tf.exp(x) - 1,
        "log1p": lambda x: tf.math.log(1 + x),
        "rsqrt": lambda x: 1 / tf.sqrt(x),
        "squared_difference": lambda x, y: (x - y) * (x - y),
        "l2_loss": lambda x: tf.reduce_sum(x**2) / 2,
        "l2_normalize": lambda x, axis, epsilon=1e-12: x / tf.sqrt(
            tf.maximum(tf.reduce_sum(x**2, axis, keepdims=True), epsilon)),
        "reduce_logsumexp": summed,
        "reduce_euclidean_norm": lambda x, axis=None, keepdims=False: tf.sqrt(
            tf.reduce_sum(x**2, axis, keepdims)),
        "reduce_variance": lambda x, axis=None, keepdims=False: tf.reduce_mean(
            (x - tf.reduce_mean(x, axis, True)) ** 2, axis, keepdims),
        "reduce_std": lambda x, axis=None, keepdims=False: tf.sqrt(tf.reduce_mean(
            (x - tf.reduce_mean(x, axis, True)) ** 2, axis, keepdims)),
        "batch_normalization": normalised,
        "bias_add": lambda x, bias: x + bias,
        "sigmoid_cross_entropy_with_logits": crossed,
        "log_poisson_loss": lambda targets, log_input: tf.exp(log_input) - log_input * targets,
    }
    formula = formulas[name]
    # What these are there to avoid.
    stable = (
        "softplus", "log_sigmoid", "log_softmax", "expm1", "log1p", "reduce_logsumexp",
        "sigmoid_cross_entropy_with_logits",
    )

    def second(*args, **kwargs):
        named = {key: value for key, value in kwargs.items() if key != "name"}
        dtype = next(v for v in list(args) + list(kwargs.values()) if tf.is_tensor(v)).dtype

        def computed(change):
            changed = {key: change(value) for key, value in named.items()}
            return tf.cast(formula(*[change(value) for value in args], **changed), tf.float64)

        def wide(value):
            floats = tf.is_tensor(value) and value.dtype.is_floating
            return tf.cast(value, tf.float64) if floats else value

        result = computed(wide)
        plain = tf.cast(function(*args, **kwargs), tf.float64)
        if name in stable or plain.shape != result.shape:
            return tf.cast(result, dtype)
        try:
            own = computed(lambda value: value)
        except tf.errors.OpError:
            own = result  # it has no kernels in this format
        arrays = [item.numpy() for item in (plain, own, result)]
        found = documented(*arrays, double=dtype == tf.float64)
        return tf.cast(tf.constant(found), dtype)

    return second


def values(result):
    parts = [part for part in tf.nest.flatten(result, expand_composites=True) if part is not None]
    return [np.asarray(np.asarray(part)) for part in parts]


tf.random.set_seed(0)
before = values(tf.nn.gelu(x0))
tf.random.set_seed(0)
after = values(tensorflow_formula(tf.nn.gelu, "gelu")(x0))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=3e-13, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
