"""PyTorch: the functions people use most, and those of them that are modules or methods too."""

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries.shaping import Pairs, padding, transposing
from assay.libraries.windows import Layout, convolution, pooling
from assay.libraries.word import WHOLE, Word, rows, special, special_word, word


def _flat(pairs: Pairs) -> tuple[int, ...]:
    """Pairs from the last axis to the first, as one list."""
    return tuple(side for pair in reversed(pairs) for side in pair)


def _pairs(flat: tuple[int, ...], rank: int) -> Pairs:
    found = [(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]
    return (*(((0, 0),) * (rank - len(found))), *reversed(found))


_ELEMENTWISE = (
    "abs", "atan2:arctan2", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "hypot",
    "isfinite", "isnan", "log", "log10", "log1p", "log2", "logaddexp", "maximum", "minimum",
    "negative", "reciprocal", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square",
    "tan", "tanh", "divide", "fmod", "remainder:mod", "pow:power",
)  # fmt: skip
_FUNCTIONAL = ("relu", "relu6", "selu", "silu", "softplus", "softsign", "hardtanh:hard_tanh")
_REDUCTIONS = ("sum", "mean", "amax", "amin", "logsumexp")
_ONE_AXIS = ("softmax", "log_softmax", "cumsum", "cumprod")
#: An axis that is always said, and one that is also a single number.
_SAID = {"always": ("dim",)}
_ONE = {"always": ("dim",), "single": ("dim",)}
_F = "torch.nn.functional."
_WINDOW = Layout()
_METHODS = (
    "abs", "ceil", "cos", "erf", "exp", "expm1", "floor", "log", "log1p", "negative",
    "reciprocal", "rsqrt", "sigmoid", "sign", "sin", "sqrt", "square", "tanh",
    "divide", "remainder:mod", "pow:power", "maximum", "minimum",
)  # fmt: skip
_MODULES = (
    "ReLU:relu", "ReLU6:relu6", "SELU:selu", "SiLU:silu", "Softplus:softplus", "Sigmoid:sigmoid",
    "Softsign:softsign", "Hardtanh:hard_tanh", "Tanh:tanh",
)  # fmt: skip
_SPECIAL = (
    "erf", "erfc", "erfinv", "exp2", "expit:sigmoid", "expm1", "i0", "log1p",
    "sinc",
)  # fmt: skip
_NO_KERAS = (
    "airy_ai:airy", "bessel_j0:j0", "bessel_j1:j1", "bessel_y0:y0", "bessel_y1:y1", "digamma",
    "entr", "erfcx", "gammaln", "i0e", "i1", "i1e", "log_ndtr", "logit",
    "modified_bessel_k0:k0", "modified_bessel_k1:k1", "ndtr", "ndtri",
    "psi:digamma", "scaled_modified_bessel_k0:k0e", "scaled_modified_bessel_k1:k1e", "xlog1py",
    "xlogy",
)  # fmt: skip
#: Without gradients, at least with respect to the first number.
_NO_SLOPE = ("gammainc", "gammaincc", "zeta")
_SLOPE = {"negative_slope": 0.01}
_TANH = {"approximate": "tanh"}


def _losses() -> tuple[Word, ...]:
    """Means over all elements; each as a function and as a class."""
    of_logits = {"from_logits": True}
    poisson = {"log_input": False, "eps": 1e-7}
    pairs = (
        (word("mse_loss", "keras.losses.MeanSquaredError"), "MSELoss"),
        (word("l1_loss", "keras.losses.MeanAbsoluteError"), "L1Loss"),
        (word("huber_loss", "keras.losses.Huber", "delta").but(since="1.9"), "HuberLoss"),
        (word("poisson_nll_loss", "keras.losses.Poisson").but(given=poisson), "PoissonNLLLoss"),
        (
            word("binary_cross_entropy_with_logits", "keras.losses.BinaryCrossentropy").but(
                implied=of_logits
            ),
            "BCEWithLogitsLoss",
        ),
    )
    return tuple(
        row.but(name=name, form="loss", labels_last=True)
        for row, made in pairs
        for name in (f"{_F}{row.name}", f"torch.nn.{made}")
    )


WORDS = (
    *rows("torch.", _ELEMENTWISE),
    *(row.but(dtypes=WHOLE) for row in rows("torch.", ("multiply", "subtract", "matmul", "add"))),
    *rows(_F, _FUNCTIONAL),
    word(f"{_F}elu", "elu", "alpha"),
    word(f"{_F}celu", "celu", "alpha"),
    word(f"{_F}leaky_relu", "leaky_relu", "negative_slope").but(defaults=_SLOPE),
    word(f"{_F}gelu", "gelu").but(given=_TANH, since="1.12"),
    *(row.but(**_ONE) for row in rows("torch.", _ONE_AXIS, dim="axis")),
    *(row.but(**_SAID) for row in rows("torch.", _REDUCTIONS, dim="axis", keepdim="keepdims")),
    word("torch.prod", "prod", dim="axis", keepdim="keepdims").but(**_ONE),
    word("torch.var", "var", dim="axis", keepdim="keepdims").but(
        **_SAID, given={"correction": 0}, since="2.0"
    ),
    word("torch.argmax", "argmax", dim="axis", keepdim="keepdims").but(single=("dim",)),
    word("torch.clamp", "clip", min="x_min", max="x_max").but(always=("min", "max")),
    word("torch.where", "where").but(tensors=3),
    word("torch.concatenate", "concatenate", dim="axis"),
    word("torch.stack", "stack", dim="axis"),
    word("torch.flip", "flip", dims="axis").but(always=("dims",), listed=("dims",)),
    word("torch.reshape", "reshape", shape="newshape"),
    transposing("torch.permute", "dims"),
    padding(f"{_F}pad", "pad", _flat, _pairs),
    convolution(f"{_F}conv2d", _WINDOW),
    pooling(f"{_F}max_pool2d", "max_pool", _WINDOW),
    pooling(f"{_F}avg_pool2d", "average_pool", _WINDOW),
    word("torch.linalg.inv", "inv"),
    word("torch.linalg.det", "det"),
    word("torch.linalg.solve", "solve"),
    word("torch.linalg.cholesky", "cholesky", "upper"),
    word("torch.outer", "outer"),
    *rows("torch.special.", _SPECIAL),
    *special("torch.special.", _NO_KERAS),
    *(row.but(differentiable=False) for row in special("torch.special.", _NO_SLOPE)),
    word("torch.special.modified_bessel_i0", "i0").but(differentiable=False),
    special_word("torch.special.modified_bessel_i1", "i1").but(differentiable=False),
    special_word("torch.special.spherical_bessel_j0", "spherical_jn").but(implied={"n": 0}),
    *(row.but(**_ONE) for row in rows("torch.special.", ("softmax", "log_softmax"), dim="axis")),
    word("torch.special.logsumexp", "logsumexp", dim="axis", keepdim="keepdims").but(**_SAID),
    *_losses(),
    *(
        row.but(form="module")
        for row in (
            *rows("torch.nn.", _MODULES),
            *rows("torch.nn.", ("ELU:elu", "CELU:celu"), "alpha"),
            *(
                row.but(**_ONE)
                for row in rows(
                    "torch.nn.", ("Softmax:softmax", "LogSoftmax:log_softmax"), dim="axis"
                )
            ),
            word("torch.nn.LeakyReLU", "leaky_relu", "negative_slope").but(defaults=_SLOPE),
            word("torch.nn.GELU", "gelu").but(given=_TANH, since="1.12"),
            pooling("torch.nn.MaxPool2d", "max_pool", _WINDOW),
            pooling("torch.nn.AvgPool2d", "average_pool", _WINDOW),
        )
    ),
    *(
        row.but(form="method")
        for row in (
            *rows("torch.Tensor.", _METHODS),
            *(
                row.but(**_SAID)
                for row in rows("torch.Tensor.", _REDUCTIONS, dim="axis", keepdim="keepdims")
            ),
            *(row.but(**_ONE) for row in rows("torch.Tensor.", _ONE_AXIS, dim="axis")),
        )
    ),
)

_GRADIENT = """\
def gradient(loss, *tensors):
    # Copies: what a layer hands on is no leaf either.
    tensors = [tensor.requires_grad_().clone() for tensor in tensors]
    value = loss(*tensors)
    if not value.requires_grad:
        return [None] * len(tensors)
    return torch.autograd.grad(value, tensors, allow_unused=True)"""

LIBRARY = Library(
    name="torch",
    root="torch",
    words=WORDS,
    targets=(
        Offered("torch", extra="torch", modules=("torch",)),
        Offered("torch+compile", mode="compile", extra="torch", modules=("torch",)),
        Offered(
            "torch+onnxruntime",
            mode="onnxruntime",
            extra="torch",
            modules=("torch", "onnxruntime", "onnxscript"),
        ),
    ),
    dialect=Dialect(
        imports=("torch",),
        tensor="torch.tensor({})",
        array="{}.detach().numpy()",
        bfloat16="torch.tensor({}, dtype=torch.bfloat16)",
        widened="{}.detach().float().numpy()",
        total="torch.sum({})",
        dtype="torch.{}",
        gradient=_GRADIENT,
        modes={"eager": "", "compile": "@torch.compile"},
    ),
)
