"""MLX, described for Assay: its words, its targets, and how its scripts are written."""

from pathlib import Path

from assay.libraries import (
    WHOLE,
    Dialect,
    Layout,
    Library,
    Offered,
    convolution,
    padding,
    pairs_as_given,
    rows,
    transposing,
    word,
)

_ELEMENTWISE = (
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "ceil", "cos",
    "cosh", "divide", "erf", "erfinv", "exp", "expm1", "floor", "floor_divide", "isfinite",
    "isinf", "isnan", "log", "log10", "log1p", "log2", "logaddexp", "maximum", "minimum",
    "negative", "outer", "power", "reciprocal", "remainder:mod", "rsqrt", "sigmoid", "sign", "sin",
    "sinh", "sqrt", "square", "tan", "tanh", "trunc", "matmul", "inner", "kron",
)  # fmt: skip
_REDUCTIONS = ("sum", "mean", "max:amax", "min:amin", "prod", "var", "std", "logsumexp")
_NN = (
    "relu", "relu6", "selu", "silu", "softplus", "softsign", "log_sigmoid", "hard_tanh",
    "hardswish:hard_swish", "gelu_approx:gelu",
)  # fmt: skip
_SAID = {"always": ("axis",)}
_ONE = {"always": ("axis",), "single": ("axis",)}

WORDS = (
    *rows("mlx.core.", _ELEMENTWISE),
    *(row.but(dtypes=WHOLE) for row in rows("mlx.core.", ("add", "multiply", "subtract"))),
    *rows("mlx.core.", _REDUCTIONS, "axis", "keepdims"),
    *rows("mlx.nn.", _NN),
    *rows("mlx.nn.", ("elu", "celu"), "alpha"),
    *rows("mlx.nn.", ("hard_shrink", "softshrink:soft_shrink"), lambd="threshold"),
    word("mlx.nn.leaky_relu", "leaky_relu", "negative_slope").but(
        defaults={"negative_slope": 0.01}
    ),
    word("mlx.core.argmax", "argmax", "axis", "keepdims").but(single=("axis",)),
    word("mlx.core.softmax", "softmax", "axis").but(**_SAID),
    word("mlx.nn.log_softmax", "log_softmax", "axis").but(**_SAID),
    *(row.but(**_ONE) for row in rows("mlx.core.", ("cumsum", "cumprod"), "axis")),
    word("mlx.core.clip", "clip", a_min="x_min", a_max="x_max").but(always=("a_min", "a_max")),
    word("mlx.core.where", "where").but(tensors=3),
    *rows("mlx.core.", ("concatenate", "stack", "flip", "sort"), "axis"),
    word("mlx.core.expand_dims", "expand_dims", "axis").but(**_SAID),
    word("mlx.core.repeat", "repeat", "repeats", "axis"),
    word("mlx.core.reshape", "reshape", shape="newshape"),
    *rows("mlx.core.", ("tril", "triu"), "k"),
    transposing("mlx.core.transpose", "axes"),
    padding("mlx.core.pad", "pad_width", lambda pairs: pairs, pairs_as_given),
    convolution("mlx.core.conv2d", Layout(images="NHWC", kernels="OHWI")),
    *rows("mlx.core.linalg.", ("inv", "det", "solve")),
    word("mlx.core.linalg.cholesky", "cholesky", "upper"),
)

_GRADIENT = """\
def gradient(loss, *tensors):
    found = mlx.core.grad(loss, argnums=list(range(len(tensors))))(*tensors)
    return found if len(tensors) > 1 else [found]"""

_REFUSALS = """
[[refusal]]
id = "mlx-no-derivative"
library = "mlx"
op = ["keras.ops.cholesky", "keras.ops.det", "keras.ops.inv"]
message = '\\[Primitive::vjp\\] Not implemented for (Cholesky|Inverse|LUF)'
reason = "MLX computes it and has no derivative of it, and says so"
link = "https://github.com/ml-explore/mlx/blob/main/mlx/primitives.cpp"
versions = { mlx = ">=0.32,<0.33" }

[refusal.example]
op = "mlx.core.linalg.inv"
inputs = [{ values = [[2.0, 1.0], [1.0, 3.0]] }]
gradient = true
targets = ["mlx", "torch"]
"""


def library() -> Library:
    """The entry point."""
    offered = {"extra": "", "modules": ("mlx.core",)}
    return Library(
        name="mlx",
        root="mlx",
        words=WORDS,
        targets=(
            Offered("mlx", **offered),
            Offered("mlx+compile", mode="compile", **offered),
        ),
        dialect=Dialect(
            imports=("mlx.core", "mlx.nn"),
            tensor="mlx.core.array({})",
            array="np.array({})",
            total="{}.sum()",
            gradient=_GRADIENT,
            zeros=True,
            modes={"eager": "", "compile": "@mlx.core.compile"},
        ),
        refusals=_REFUSALS,
        adapter=f"{Path(__file__).with_name('worker.py')}:MlxAdapter",
    )
