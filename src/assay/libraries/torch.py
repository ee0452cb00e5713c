"""PyTorch: the functions people use most."""

import msgspec

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries.shaping import Pairs, padding, transposing
from assay.libraries.windows import Layout, convolution, pooling
from assay.libraries.word import Word, word

_WHOLE = ("float32", "int32")


def _also_whole(row: Word) -> Word:
    return msgspec.structs.replace(row, dtypes=_WHOLE)


def _always(row: Word, *names: str, single: bool = False) -> Word:
    return msgspec.structs.replace(row, always=names, single=names if single else ())


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


def _rows(prefix: str, names: tuple[str, ...]) -> tuple[Word, ...]:
    pairs = [name.partition(":") for name in names]
    return tuple(word(prefix + own, means or own) for own, _, means in pairs)


_F = "torch.nn.functional."
_WINDOW = Layout()
WORDS = (
    *_rows("torch.", _ELEMENTWISE),
    *(_also_whole(word(f"torch.{name}", name)) for name in ("multiply", "subtract", "matmul")),
    _also_whole(word("torch.add", "add")),
    *_rows(_F, _FUNCTIONAL),
    word(f"{_F}elu", "elu", "alpha"),
    word(f"{_F}celu", "celu", "alpha"),
    msgspec.structs.replace(
        word(f"{_F}leaky_relu", "leaky_relu", "negative_slope"), defaults={"negative_slope": 0.01}
    ),
    msgspec.structs.replace(word(f"{_F}gelu", "gelu"), given={"approximate": "tanh"}, since="1.12"),
    _always(word("torch.softmax", "softmax", dim="axis"), "dim", single=True),
    _always(word("torch.log_softmax", "log_softmax", dim="axis"), "dim", single=True),
    _always(word("torch.sum", "sum", dim="axis", keepdim="keepdims"), "dim"),
    _always(word("torch.mean", "mean", dim="axis", keepdim="keepdims"), "dim"),
    _always(word("torch.amax", "amax", dim="axis", keepdim="keepdims"), "dim"),
    _always(word("torch.amin", "amin", dim="axis", keepdim="keepdims"), "dim"),
    _always(word("torch.prod", "prod", dim="axis", keepdim="keepdims"), "dim", single=True),
    msgspec.structs.replace(
        _always(word("torch.var", "var", dim="axis", keepdim="keepdims"), "dim"),
        given={"correction": 0},
        since="2.0",
    ),
    _always(word("torch.logsumexp", "logsumexp", dim="axis", keepdim="keepdims"), "dim"),
    msgspec.structs.replace(
        word("torch.argmax", "argmax", dim="axis", keepdim="keepdims"), single=("dim",)
    ),
    _always(word("torch.cumsum", "cumsum", dim="axis"), "dim", single=True),
    _always(word("torch.cumprod", "cumprod", dim="axis"), "dim", single=True),
    msgspec.structs.replace(
        word("torch.clamp", "clip", min="x_min", max="x_max"), always=("min", "max")
    ),
    msgspec.structs.replace(word("torch.where", "where"), tensors=3),
    word("torch.concatenate", "concatenate", dim="axis"),
    word("torch.stack", "stack", dim="axis"),
    _always(word("torch.flip", "flip", dims="axis"), "dims"),
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
        total="torch.sum({})",
        dtype="torch.{}",
        gradient=_GRADIENT,
        modes={"eager": "", "compile": "@torch.compile"},
    ),
)
