"""Which ops can stand where in a model."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.ops import REAL, Domain, OpSpec, Tensor
from assay.ops._base import alone

#: They hand on a mask beside their tensor, which the graph would not show.
MASKING = frozenset({"keras.layers.Masking", "keras.layers.Embedding"})
#: Their results grow beyond all bounds when several of them follow each other.
_WILD_FUNCTIONS = (
    "exp",
    "exp2",
    "expm1",
    "sinh",
    "cosh",
    "tan",
    "square",
    "cumprod",
    "prod",
    "nanprod",
    "nancumprod",
    "reciprocal",
    "divide",
    "true_divide",
    "power",
    "vander",
    "logspace",
    "geomspace",
    "i0",
    "rsqrt",
    "kron",
    "outer",
    "dot",
    "matmul",
    "einsum",
    "tensordot",
    "inner",
    "vdot",
    "multiply",
    "ldexp",
    "erfinv",
    "arctanh",
    "rad2deg",
    "log",
    "log2",
    "log10",
    "diff",
    "cross",
    "correlate",
    "sum",
    "nansum",
    "cumsum",
    "nancumsum",
    "conv",
    "conv_transpose",
    "fold",
    "logdet",
    "norm",
)
WILD = frozenset(f"keras.ops.{name}" for name in _WILD_FUNCTIONS) | {
    "keras.layers.Multiply",
    "keras.layers.Dot",
    "keras.layers.MelSpectrogram",
    "keras.layers.STFTSpectrogram",
    "keras.activations.exponential",
}
#: What brings numbers back into range: smooth, and one to one.
TAMING = ("keras.activations.tanh", "keras.activations.softsign", "keras.ops.arcsinh")


#: A library refuses to differentiate a model with them, even where the gradient is stopped.
_NO_TRAINING = ("keras.ops.nextafter",)


class Roles(NamedTuple):
    """The ops of a vocabulary by what they can be in a model, each list in order of names.

    ``single`` follow one tensor and ``several`` merge some; ``sources`` read
    whole numbers and so can only come first; ``losses`` end a model, and
    ``optimizers`` train it; ``reducing`` are the single ones that make tensors smaller.
    """

    single: tuple[OpSpec, ...]
    several: tuple[OpSpec, ...]
    sources: tuple[OpSpec, ...]
    losses: tuple[OpSpec, ...]
    optimizers: tuple[OpSpec, ...]
    reducing: tuple[OpSpec, ...]

    def all(self) -> tuple[OpSpec, ...]:
        """Every op with a role."""
        return (*self.single, *self.several, *self.sources, *self.losses, *self.optimizers)


def roles(vocabulary: Mapping[str, OpSpec], families: Iterable[str]) -> Roles:
    """Who can be what. Losses and optimizers always have a role, others of these families."""
    specs = [spec for _, spec in sorted(vocabulary.items()) if not spec.stochastic]
    inside = [spec for spec in specs if spec.family in families and _gives_tensors(spec)]
    inside = [spec for spec in inside if spec.name not in _NO_TRAINING]
    flowing = [spec for spec in inside if flows(spec.tensors[0])]
    single = tuple(spec for spec in flowing if not merges(spec))
    return Roles(
        single=single,
        several=tuple(spec for spec in flowing if merges(spec)),
        sources=tuple(s for s in inside if s.family == "layers" and not flows(s.tensors[0])),
        losses=tuple(spec for spec in specs if spec.family == "losses"),
        optimizers=tuple(spec for spec in specs if spec.family == "optimizers"),
        reducing=tuple(s for s in single if s.family == "layers" and "Pooling" in s.name),
    )


def _gives_tensors(spec: OpSpec) -> bool:
    """A tensor of a known shape, which is of floats or, for layers, can be made one of floats."""
    if not spec.tensors or spec.dynamic:
        return False
    return spec.result == "float" or (spec.family == "layers" and spec.result == "integer")


def flows(tensor: Tensor) -> bool:
    """Can the tensor be what another node computed? Else a recipe must draw it."""
    return tensor.dtypes[0] == "float32" and tensor.domain.kind == "uniform" and not tensor.keyword


def merges(spec: OpSpec) -> bool:
    """Does the op need several tensors that other nodes compute?"""
    further = spec.tensors[1:] or (() if spec.companions is alone else spec.tensors)
    return any(flows(tensor) and not tensor.optional for tensor in further)


def within(domain: Domain) -> bool:
    """Are the numbers that usually flow in a model in this domain?"""
    return domain == REAL or (domain.low <= REAL.low and domain.high >= REAL.high)
