"""TensorFlow: the functions people use most."""

from typing import Any

import msgspec

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries.kernels import pinned
from assay.libraries.shaping import padding, pairs_as_given, transposing
from assay.libraries.windows import Layout, Pads, convolution, pooling
from assay.libraries.word import WHOLE, rows, special, word

_MATH = (
    "abs", "atan2:arctan2", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor",
    "floormod:mod", "is_finite:isfinite", "is_nan:isnan", "log", "log1p", "maximum", "minimum",
    "negative", "reciprocal", "rsqrt", "sigmoid", "sign", "sin", "sinh", "softplus", "sqrt",
    "square", "tan", "tanh", "truediv:divide", "pow:power",
)  # fmt: skip
_SPECIAL = ("bessel_i0:i0", "erfc", "erfinv")
_NO_KERAS = (
    "bessel_i0e:i0e", "bessel_i1:i1", "bessel_i1e:i1e", "betainc", "digamma", "erfcinv",
    "igamma:gammainc", "igammac:gammaincc", "lgamma:gammaln", "ndtri", "special.bessel_j0:j0",
    "special.bessel_j1:j1", "special.bessel_k0:k0", "special.bessel_k0e:k0e",
    "special.bessel_k1:k1", "special.bessel_k1e:k1e", "special.bessel_y0:y0",
    "special.bessel_y1:y1", "special.dawsn:dawsn", "special.expint:expi", "special.spence:spence",
    "xlog1py", "xlogy", "zeta",
)  # fmt: skip
_NN = ("relu", "relu6", "selu", "silu", "softsign", "elu")
_REDUCTIONS = (
    "reduce_sum:sum", "reduce_mean:mean", "reduce_max:amax", "reduce_min:amin",
    "reduce_prod:prod", "reduce_variance:var", "reduce_logsumexp:logsumexp",
)  # fmt: skip


def _padded(pads: Pads) -> Any:
    if pads == ((0, 0), (0, 0)):
        return "VALID"
    return ((0, 0), *pads, (0, 0))


def _pads(value: Any) -> Pads:
    if value == "VALID":
        return (0, 0), (0, 0)
    _, rows, columns, _ = value
    return (rows[0], rows[1]), (columns[0], columns[1])


_WINDOW = Layout(
    images="NHWC",
    kernels="HWIO",
    strides="strides",
    dilations="dilations",
    groups="",
    size="ksize",
    padded=_padded,
    pads=_pads,
    uneven=True,
    said=True,
)
_POOL = msgspec.structs.replace(_WINDOW, given={"padding": "VALID"})
WORDS = (
    *rows("tf.math.", _MATH),
    *(row.but(dtypes=WHOLE) for row in rows("tf.math.", ("multiply", "subtract", "add"))),
    *rows("tf.math.", _SPECIAL),
    *special("tf.math.", _NO_KERAS),
    *rows("tf.nn.", _NN),
    *rows("tf.math.", _REDUCTIONS, "axis", "keepdims"),
    word("tf.linalg.matmul", "matmul").but(least_rank=2),
    word("tf.nn.leaky_relu", "leaky_relu", alpha="negative_slope").but(defaults={"alpha": 0.2}),
    word("tf.nn.gelu", "gelu", "approximate").but(defaults={"approximate": False}),
    *(
        row.but(always=("axis",), single=("axis",))
        for row in rows("tf.nn.", ("softmax", "log_softmax"), "axis")
    ),
    *(
        row.but(always=("axis",))
        for row in rows("tf.math.", ("argmax", "cumsum", "cumprod"), "axis")
    ),
    word("tf.clip_by_value", "clip", clip_value_min="x_min", clip_value_max="x_max").but(
        always=("clip_value_min", "clip_value_max")
    ),
    word("tf.where", "where").but(tensors=3),
    word("tf.concat", "concatenate", "axis").but(always=("axis",)),
    word("tf.stack", "stack", "axis"),
    word("tf.reshape", "reshape", shape="newshape"),
    transposing("tf.transpose", "perm"),
    padding("tf.pad", "paddings", lambda pairs: pairs, pairs_as_given),
    convolution("tf.nn.conv2d", _WINDOW),
    pooling("tf.nn.max_pool2d", "max_pool", _POOL),
    pooling("tf.nn.avg_pool2d", "average_pool", _POOL),
    word("tf.linalg.inv", "inv"),
    word("tf.linalg.det", "det"),
)

_GRADIENT = """\
def gradient(loss, *tensors):
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = loss(*tensors)
    return tape.gradient(value, tensors)"""

LIBRARY = Library(
    name="tensorflow",
    root="tf",
    words=WORDS,
    targets=tuple(
        Offered(
            "tensorflow" + ("" if mode == "eager" else f"+{mode}"),
            mode=mode,
            env=pinned("tensorflow", "", mode),
            extra="tensorflow",
            modules=("tensorflow",),
        )
        for mode in ("eager", "graph", "xla", "onednn")
    ),
    dialect=Dialect(
        imports=("tensorflow as tf",),
        tensor="tf.constant({})",
        array="np.asarray({})",
        bfloat16="tf.cast({}, tf.bfloat16)",
        widened="np.asarray(tf.cast({}, tf.float32))",
        total="tf.reduce_sum({})",
        dtype="tf.{}",
        gradient=_GRADIENT,
        modes={
            "eager": "",
            "graph": "@tf.function",
            "xla": "@tf.function(jit_compile=True)",
            "onednn": "",
        },
    ),
)
