"""A function gives what the formula in its documentation gives."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


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


def torch_formula(function, called=""):
    import torch

    def softplus(x, beta=1.0, threshold=20.0):
        # Past the threshold it is documented to be x itself.
        return torch.where(x * beta > threshold, x, torch.log1p(torch.exp(x * beta)) / beta)

    def normalised(x, axes, eps, weight=None, bias=None):
        mean = x.mean(axes, keepdim=True)
        scaled = (x - mean) / torch.sqrt(((x - mean) ** 2).mean(axes, keepdim=True) + eps)
        scaled = scaled if weight is None else scaled * weight
        return scaled if bias is None else scaled + bias

    def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5):
        return normalised(x, tuple(range(-len(normalized_shape), 0)), eps, weight, bias)

    def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5):
        grouped = x.reshape((x.shape[0], num_groups, -1))
        result = normalised(grouped, (-1,), eps).reshape(x.shape)
        sizes = (1, -1) + (1,) * (x.dim() - 2)
        result = result if weight is None else result * weight.reshape(sizes)
        return result if bias is None else result + bias.reshape(sizes)

    def reduced(loss, reduction):
        return {"none": lambda x: x, "mean": torch.mean, "sum": torch.sum}[reduction](loss)

    def huber(x, y, reduction="mean", delta=1.0):
        d = (x - y).abs()
        return reduced(torch.where(d < delta, d**2 / 2, delta * (d - delta / 2)), reduction)

    def smooth(x, y, size_average=None, reduce=None, reduction="mean", beta=1.0):
        d = (x - y).abs()
        return reduced(torch.where(d < beta, d**2 / 2 / beta, d - beta / 2), reduction)

    def attention(query, key, value):
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        weights = torch.exp(scores - scores.amax(-1, keepdim=True))
        return weights / weights.sum(-1, keepdim=True) @ value

    def added(x, beta, product):
        # Where beta is 0, what is in x is documented not to matter.
        return beta * x + product if beta else product + torch.zeros_like(x)

    def summed(x, dim):
        # Less the largest: else double precision is left, as well.
        most = x.amax(dim, keepdim=True)
        return torch.log(torch.exp(x - most).sum(dim)) + most.sum(dim)

    def cosine(x, y, dim=1, eps=1e-8):
        x, y = torch.broadcast_tensors(x, y)
        sizes = [torch.sqrt((item * item).sum(dim)).clamp(min=eps) for item in (x, y)]
        return (x * y).sum(dim) / (sizes[0] * sizes[1])

    def shares(x, dim):
        powers = torch.exp(x - x.amax(dim, keepdim=True))
        return powers / powers.sum(dim, keepdim=True)

    name = called or function.__name__
    formulas = {
        "softplus": softplus,
        "silu": lambda x: x / (1 + torch.exp(-x)),
        "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
        "expit": lambda x: 1 / (1 + torch.exp(-x)),
        "logsigmoid": lambda x: x.clamp(max=0) - torch.log1p(torch.exp(-x.abs())),
        "mish": lambda x: x * torch.tanh(torch.log1p(torch.exp(x))),
        "elu": lambda x, alpha=1.0: torch.where(x > 0, x, alpha * (torch.exp(x) - 1)),
        "celu": lambda x, alpha=1.0: x.clamp(min=0) + (alpha * (torch.exp(x / alpha) - 1)).clamp(
            max=0),
        "relu": lambda x: x.clamp(min=0),
        "relu6": lambda x: x.clamp(0, 6),
        "hardsigmoid": lambda x: (x + 3).clamp(0, 6) / 6,
        "hardswish": lambda x: x * (x + 3).clamp(0, 6) / 6,
        "hardtanh": lambda x, min_val=-1.0, max_val=1.0: x.clamp(min_val, max_val),
        "leaky_relu": lambda x, negative_slope=0.01: torch.where(x > 0, x, x * negative_slope),
        "softsign": lambda x: x / (1 + x.abs()),
        "tanhshrink": lambda x: x - torch.tanh(x),
        "softshrink": lambda x, lambd=0.5: torch.sign(x) * (x.abs() - lambd).clamp(min=0),
        "hardshrink": lambda x, lambd=0.5: torch.where(x.abs() > lambd, x, x * 0),
        "softmax": shares,
        "logsumexp": lambda x, dim: summed(x, dim),
        "logaddexp": lambda x, y: summed(torch.stack(torch.broadcast_tensors(x, y)), 0),
        "logaddexp2": lambda x, y: torch.maximum(x, y)
        + torch.log2(1 + torch.exp2(-(x - y).abs())),
        "expm1": lambda x: torch.exp(x) - 1,
        "log1p": lambda x: torch.log(1 + x),
        "square": lambda x: x * x,
        "rsqrt": lambda x: 1 / torch.sqrt(x),
        "hypot": lambda x, y: torch.sqrt(x**2 + y**2),
        "addcmul": lambda x, a, b, value=1: x + value * a * b,
        "addcdiv": lambda x, a, b, value=1: x + value * (a / b),
        "lerp": lambda x, end, weight: x + weight * (end - x),
        "addmm": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b)),
        "addmv": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b)),
        "addr": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * a[:, None] * b),
        "baddbmm": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b)),
        "addbmm": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b).sum(0)),
        "outer": lambda x, y: x[:, None] * y,
        "linear": lambda x, w, b=0.0: x @ w.transpose(-1, -2) + b,
        "cosine_similarity": cosine,
        "pairwise_distance": lambda x, y, p=2.0, eps=1e-6, keepdim=False: (
            (x - y + eps).abs() ** p).sum(-1, keepdim=keepdim) ** (1 / p),
        "mse_loss": lambda x, y, size_average=None, reduce=None, reduction="mean": reduced(
            (x - y) ** 2, reduction),
        "l1_loss": lambda x, y, size_average=None, reduce=None, reduction="mean": reduced(
            (x - y).abs(), reduction),
        "huber_loss": huber,
        "smooth_l1_loss": smooth,
        "layer_norm": layer_norm,
        "group_norm": group_norm,
        "scaled_dot_product_attention": attention,
    }  # fmt: skip
    formula = formulas[name]
    # What these are there to avoid.
    stable = ("softplus", "logsigmoid", "logsumexp", "logaddexp", "logaddexp2", "expm1", "log1p")

    def second(*args, **kwargs):
        named = {"x" if key == "input" else key: value for key, value in kwargs.items()}
        dtype = next(x.dtype for x in args if isinstance(x, torch.Tensor))

        def computed(change):
            changed = {key: change(value) for key, value in named.items()}
            return formula(*[change(value) for value in args], **changed).double()

        def wide(value):
            floats = isinstance(value, torch.Tensor) and value.is_floating_point()
            return value.double() if floats else value

        result = computed(wide)
        plain = function(*args, **kwargs).double()
        if name in stable or plain.shape != result.shape:
            return result.to(dtype)
        try:
            own = computed(lambda value: value)
        except RuntimeError:
            own = result  # it has no kernels in this format
        arrays = [item.numpy() for item in (plain, own, result)]
        return torch.from_numpy(documented(*arrays, double=dtype == torch.float64)).to(dtype)

    return second


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
    }  # fmt: skip
    formula = formulas[name]
    # What these are there to avoid.
    stable = (
        "softplus", "log_sigmoid", "log_softmax", "expm1", "log1p", "reduce_logsumexp",
        "sigmoid_cross_entropy_with_logits",
    )  # fmt: skip

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


def jax_formula(function, called=""):
    import jax.numpy as jnp
    import numpy as np

    def shares(x, axis=-1):
        powers = np.exp(x - np.max(x, axis, keepdims=True))
        return powers / np.sum(powers, axis, keepdims=True)

    def summed(x, axis=None, keepdims=False):
        # Less the largest: else double precision is left, as well.
        most = np.max(x, axis, keepdims=True)
        least = np.log(np.sum(np.exp(x - most), axis, keepdims=keepdims))
        return least + np.reshape(most, np.shape(least))

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def softplus(x):
        return np.logaddexp(x, 0)

    name = called or function.__name__
    formulas = {
        "relu": lambda x: np.maximum(x, 0),
        "relu6": lambda x: np.minimum(np.maximum(x, 0), 6),
        "sigmoid": sigmoid,
        "expit": sigmoid,
        "logistic": sigmoid,
        "softplus": softplus,
        "squareplus": lambda x, b=4: (x + np.sqrt(x**2 + b)) / 2,
        "soft_sign": lambda x: x / (np.abs(x) + 1),
        "silu": lambda x: x * sigmoid(x),
        "log_sigmoid": lambda x: -softplus(-x),
        "elu": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(x)),
        "leaky_relu": lambda x, negative_slope=0.01: np.where(x >= 0, x, negative_slope * x),
        "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
        "hard_silu": lambda x: x * np.clip(x + 3, 0, 6) / 6,
        "hard_tanh": lambda x: np.clip(x, -1, 1),
        "mish": lambda x: x * np.tanh(softplus(x)),
        "celu": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(x / alpha)),
        "softmax": shares,
        "log_softmax": lambda x, axis=-1: x - summed(x, axis, True),
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "logsumexp": summed,
        "entr": lambda x: np.where(x > 0, -x * np.log(np.where(x > 0, x, 1)),
                                   np.where(x == 0, 0, -np.inf)),
        "logit": lambda x: np.log(x / (1 - x)),
        "xlogy": lambda x, y: np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, y))),
        "xlog1py": lambda x, y: np.where(x == 0, 0, x * np.log1p(np.where(x == 0, 1, y))),
    }  # fmt: skip
    formula = formulas[name]
    # What these are there to avoid.
    stable = ("softplus", "log_sigmoid", "log_softmax", "logsumexp", "xlog1py")

    def second(*args, **kwargs):
        def computed(change):
            changed = {key: change(value) for key, value in kwargs.items()}
            result = formula(*[change(value) for value in args], **changed)
            return np.asarray(result, "float64")

        def own_format(value):
            return np.asarray(value) if hasattr(value, "dtype") else value

        def wide(value):
            return np.asarray(value, "float64") if hasattr(value, "dtype") else value

        with np.errstate(all="ignore"):
            result, own = computed(wide), computed(own_format)
        plain = np.asarray(function(*args, **kwargs), "float64")
        if name not in stable and plain.shape == result.shape:
            double = args[0].dtype == "float64"
            result = documented(plain, own, result, double)
        return jnp.asarray(result, args[0].dtype)

    return second


class Formula(Rule):
    """In double precision, as it stands there.

    What the formula itself loses in the format of the call is documented, unless the function is
    there to avoid that.
    """

    name = "formula"
    eagle = 7
    says = "f ≡ the formula of its documentation"
    domain = "activations, normalisations, losses and sums of products, of floats"
    helpers = (documented,)
    #: What is called decides: a function may have another one's name, an alias or a wrapper.
    called = True
    programs = {"torch": torch_formula, "tensorflow": tensorflow_formula, "jax": jax_formula}
    #: A formula takes detours that only a function avoids.
    special = False
    raising = False
    names = {
        "torch": {
            "torch": "sigmoid softmax logsumexp logaddexp logaddexp2 expm1 log1p square rsqrt "
            "hypot addcmul addcdiv lerp addmm addmv addr baddbmm addbmm outer relu celu",
            "torch.special": "expit softmax expm1 log1p",
            "torch.nn.functional": "softplus silu sigmoid logsigmoid mish elu celu relu relu6 "
            "hardsigmoid hardswish hardtanh leaky_relu softsign tanhshrink softshrink hardshrink "
            "softmax linear cosine_similarity pairwise_distance mse_loss l1_loss huber_loss "
            "smooth_l1_loss layer_norm group_norm scaled_dot_product_attention",
        },
        "tensorflow": {
            "tf.math": "sigmoid log_sigmoid softplus softsign softmax log_softmax expm1 log1p "
            "rsqrt squared_difference l2_normalize reduce_logsumexp reduce_euclidean_norm "
            "reduce_variance reduce_std",
            "tf.nn": "sigmoid softplus softsign elu relu relu6 leaky_relu swish silu gelu softmax "
            "log_softmax l2_loss l2_normalize batch_normalization bias_add "
            "sigmoid_cross_entropy_with_logits log_poisson_loss",
        },
        "jax": {
            "jax.nn": "relu relu6 sigmoid softplus squareplus soft_sign silu log_sigmoid elu "
            "leaky_relu hard_sigmoid hard_silu hard_tanh mish celu softmax log_softmax logsumexp",
            "jax.scipy.special": "expit softmax log_softmax logsumexp entr logit xlogy xlog1py",
            "jax.lax": "logistic rsqrt",
        },
    }

    def applies(self, facts):
        """Floats, in no other format than theirs."""
        space, _, own = facts.api.rpartition(".")
        known = own in self.names.get(facts.library, {}).get(space, "").split()
        if not known or not facts.floating or facts.has("out") or facts.has("dtype"):
            return False
        # A third argument of softmax is a format.
        return own != "softmax" or given(facts, "dtype", 2) is None


RULE = Formula()
