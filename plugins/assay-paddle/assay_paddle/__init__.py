"""PaddlePaddle, described for Assay: its words, its target, and how its scripts are written."""

from pathlib import Path

from assay.libraries import (
    WHOLE,
    Dialect,
    Layout,
    Library,
    Offered,
    convolution,
    padding,
    pooling,
    rows,
    transposing,
    word,
)

_ELEMENTWISE = (
    "abs", "acos:arccos", "acosh:arccosh", "asin:arcsin", "asinh:arcsinh", "atan:arctan",
    "atan2:arctan2", "atanh:arctanh", "ceil", "cos", "cosh", "divide", "erf", "erfinv", "exp",
    "expm1", "floor", "fmax", "fmin", "heaviside", "hypot", "isfinite", "isinf", "isnan", "log",
    "log10", "log1p", "log2", "logaddexp", "maximum", "minimum", "mod", "neg:negative", "outer",
    "pow:power", "reciprocal", "rsqrt", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
    "trunc", "matmul", "inner", "kron",
)  # fmt: skip
_REDUCTIONS = ("sum", "mean", "amax", "amin", "prod", "logsumexp")
_FUNCTIONAL = (
    "relu", "relu6", "selu", "sigmoid", "silu", "softplus", "softsign", "log_sigmoid",
    "hardtanh:hard_tanh", "hardswish:hard_swish", "tanhshrink:tanh_shrink",
)  # fmt: skip
_SAID = {"always": ("axis",)}
_ONE = {"always": ("axis",), "single": ("axis",)}
_F = "paddle.nn.functional."
_WINDOW = Layout()


def _flat(pairs):
    """Pairs from the first axis to the last, as one list."""
    return tuple(side for pair in pairs for side in pair)


def _pairs(flat, rank):
    return tuple((flat[2 * axis], flat[2 * axis + 1]) for axis in range(rank))


WORDS = (
    *rows("paddle.", _ELEMENTWISE),
    *(row.but(dtypes=WHOLE) for row in rows("paddle.", ("add", "multiply", "subtract"))),
    *rows("paddle.", _REDUCTIONS, "axis", keepdim="keepdims"),
    *(
        row.but(given={"unbiased": False})
        for row in rows("paddle.", ("var", "std"), "axis", keepdim="keepdims")
    ),
    word("paddle.argmax", "argmax", "axis", keepdim="keepdims").but(single=("axis",)),
    *rows(_F, _FUNCTIONAL),
    *rows(_F, ("elu", "celu"), "alpha"),
    *rows(_F, ("hardshrink:hard_shrink", "softshrink:soft_shrink"), "threshold"),
    word(f"{_F}leaky_relu", "leaky_relu", "negative_slope").but(defaults={"negative_slope": 0.01}),
    word(f"{_F}gelu", "gelu", "approximate").but(defaults={"approximate": False}),
    *(row.but(**_ONE) for row in rows(_F, ("softmax", "log_softmax"), "axis")),
    word("paddle.cumsum", "cumsum", "axis").but(**_ONE),
    word("paddle.cumprod", "cumprod", dim="axis").but(always=("dim",), single=("dim",)),
    word("paddle.clip", "clip", min="x_min", max="x_max").but(always=("min", "max")),
    word("paddle.where", "where").but(tensors=3),
    *rows("paddle.", ("concat:concatenate", "stack", "sort"), "axis"),
    word("paddle.unsqueeze", "expand_dims", "axis").but(**_SAID),
    word("paddle.flip", "flip", "axis").but(**_SAID),
    word("paddle.roll", "roll", "axis", shifts="shift"),
    word("paddle.tile", "tile", repeat_times="repeats"),
    word("paddle.reshape", "reshape", shape="newshape"),
    *rows("paddle.", ("tril", "triu"), diagonal="k"),
    transposing("paddle.transpose", "perm"),
    padding(f"{_F}pad", "pad", _flat, _pairs),
    convolution(f"{_F}conv2d", _WINDOW),
    pooling(f"{_F}max_pool2d", "max_pool", _WINDOW),
    pooling(f"{_F}avg_pool2d", "average_pool", _WINDOW),
    *rows("paddle.linalg.", ("inv", "det", "solve")),
    word("paddle.linalg.cholesky", "cholesky", "upper"),
)

_GRADIENT = """\
def gradient(loss, *tensors):
    for tensor in tensors:
        tensor.stop_gradient = False
    return paddle.grad(loss(*tensors), list(tensors))"""


def library() -> Library:
    """The entry point."""
    return Library(
        name="paddle",
        root="paddle",
        words=WORDS,
        targets=(Offered("paddle", modules=("paddle",)),),
        dialect=Dialect(
            imports=("paddle",),
            tensor="paddle.to_tensor({})",
            array="{}.numpy()",
            total="{}.sum()",
            gradient=_GRADIENT,
        ),
        adapter=f"{Path(__file__).with_name('worker.py')}:PaddleAdapter",
    )
