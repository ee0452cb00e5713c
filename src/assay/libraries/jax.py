"""JAX: the functions people use most."""

from typing import Any

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries.shaping import padding, pairs_as_given, transposing
from assay.libraries.windows import Layout, Pads, convolution
from assay.libraries.word import WHOLE, rows, special, word

_ELEMENTWISE = (
    "abs", "arctan2", "ceil", "cos", "cosh", "exp", "expm1", "floor", "hypot", "isfinite", "isnan",
    "log", "log10", "log1p", "log2", "logaddexp", "maximum", "minimum", "negative", "reciprocal",
    "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "divide", "fmod", "mod", "power",
    "outer",
)  # fmt: skip
_ALSO_WHOLE = ("multiply", "subtract", "add", "matmul")
_NN = ("relu", "relu6", "selu", "silu", "softplus", "sigmoid", "hard_tanh")
_REDUCTIONS = ("sum", "mean", "max", "min", "amax", "amin", "prod", "var", "argmax")
_SPECIAL = ("erf", "erfc", "erfinv", "expit:sigmoid", "i0")
_NO_KERAS = (
    "beta", "betainc", "betaln", "dawsn", "digamma", "entr", "erfcx", "exp1", "expi", "gamma",
    "gammainc", "gammaincc", "gammaln", "i0e", "i1", "i1e", "kl_div", "log_ndtr", "logit", "ndtr",
    "ndtri", "rel_entr", "spence", "xlog1py", "xlogy", "zeta",
)  # fmt: skip
_N = "jax.numpy."


def _pads(value: Any) -> Pads:
    rows, columns = value
    return (rows[0], rows[1]), (columns[0], columns[1])


WORDS = (
    *rows(_N, _ELEMENTWISE),
    word(f"{_N}where", "where").but(tensors=3),
    *(row.but(dtypes=WHOLE) for row in rows(_N, _ALSO_WHOLE)),
    *rows(_N, _REDUCTIONS, "axis", "keepdims"),
    *rows("jax.nn.", _NN),
    word("jax.nn.soft_sign", "softsign"),
    *rows("jax.scipy.special.", _SPECIAL),
    *special("jax.scipy.special.", _NO_KERAS),
    *rows("jax.numpy.", ("exp2", "sinc")),
    word("jax.lax.rsqrt", "rsqrt"),
    word("jax.nn.elu", "elu", "alpha"),
    word("jax.nn.celu", "celu", "alpha"),
    word("jax.nn.leaky_relu", "leaky_relu", "negative_slope").but(
        defaults={"negative_slope": 0.01}
    ),
    word("jax.nn.gelu", "gelu", "approximate"),
    word("jax.nn.softmax", "softmax", "axis"),
    word("jax.nn.log_softmax", "log_softmax", "axis"),
    word("jax.nn.logsumexp", "logsumexp", "axis", "keepdims"),
    word(f"{_N}cumsum", "cumsum", "axis").but(always=("axis",)),
    word(f"{_N}cumprod", "cumprod", "axis").but(always=("axis",)),
    word(f"{_N}clip", "clip", min="x_min", max="x_max").but(always=("min", "max")),
    word(f"{_N}concatenate", "concatenate", "axis"),
    word(f"{_N}stack", "stack", "axis"),
    word(f"{_N}flip", "flip", "axis"),
    word(f"{_N}reshape", "reshape", shape="newshape"),
    transposing(f"{_N}transpose", "axes"),
    padding(f"{_N}pad", "pad_width", lambda pairs: pairs, pairs_as_given),
    convolution(
        "jax.lax.conv_general_dilated",
        Layout(
            strides="window_strides",
            dilations="rhs_dilation",
            groups="feature_group_count",
            pair=True,
            padded=lambda pads: pads,
            pads=_pads,
            uneven=True,
            said=True,
        ),
    ),
    word(f"{_N}linalg.inv", "inv"),
    word(f"{_N}linalg.det", "det"),
)

_GRADIENT = """\
def gradient(loss, *tensors):
    return jax.grad(loss, argnums=tuple(range(len(tensors))))(*tensors)"""

#: Three devices that share the processor, each with one thread.
_DEVICES = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false --xla_force_host_platform_device_count=3"
}

LIBRARY = Library(
    name="jax",
    root="jax",
    words=WORDS,
    targets=(
        Offered("jax", extra="jax", modules=("jax",)),
        Offered("jax+jit", mode="jit", extra="jax", modules=("jax",)),
        Offered("jax+devices", mode="devices", env=_DEVICES, extra="jax", modules=("jax",)),
    ),
    dialect=Dialect(
        imports=("jax", "jax.nn", "jax.numpy", "jax.scipy.special"),
        tensor="jax.numpy.array({})",
        array="np.asarray({})",
        bfloat16="jax.numpy.array({}, jax.numpy.bfloat16)",
        widened='np.asarray({}).astype("float32")',
        total="jax.numpy.sum({})",
        dtype="jax.numpy.{}",
        gradient=_GRADIENT,
        zeros=True,
        modes={"eager": "", "jit": "@jax.jit", "devices": ""},
    ),
)
