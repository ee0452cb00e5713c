"""Element-wise functions of ``keras.ops``."""

from assay.ops._base import OpSpec, Tensor
from assay.ops.shapes import broadcast, broadcastable

_FLOAT = ("float32", "float16")
_NUMERIC = ("float32", "int32", "float16", "uint8")


def _binary(name: str, dtypes: tuple[str, ...]) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=broadcast,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=dtypes),),
        companions=broadcastable,
    )


SPECS = (
    _binary("hypot", _NUMERIC),
    _binary("logaddexp", _FLOAT),
    _binary("maximum", _NUMERIC),
)
