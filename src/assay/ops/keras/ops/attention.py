"""Attention of ``keras.ops``."""

from assay.ops._base import Invalid, OpSpec, Params, Shape, Shapes, Tensor, parameter
from assay.ops._draw import Draw
from assay.ops.keras._common import flag
from assay.ops.keras.ops._kinds import FLOAT


def _key_and_value(draw: Draw, first: Shape) -> Shapes:
    batch, queries, heads, size = first
    groups = [count for count in range(1, heads + 1) if heads % count == 0]
    kept = heads if draw.chance(0.7) else draw.pick(groups)
    key = (batch, draw.between(1, 6), kept, size)
    weights = (batch, heads, queries, key[1])
    wide = tuple(1 if draw.chance(0.2) else length for length in weights)
    return key, key, wide, wide


def _attention(params: Params, shapes: Shapes) -> Shapes:
    query, key, value = shapes[:3]
    if key != value or query[2] % max(key[2], 1):
        raise Invalid(f"key {key} and value {value} for query {query}")
    return (query,)


_ATTENTION = OpSpec(
    name="keras.ops.dot_product_attention",
    rule=_attention,
    tensors=(
        Tensor(ranks=(4,), dtypes=FLOAT),
        Tensor(ranks=(4,), dtypes=FLOAT),
        Tensor(ranks=(4,), dtypes=FLOAT),
        Tensor(ranks=(4,), dtypes=FLOAT, keyword="bias", optional=True),
        Tensor(ranks=(4,), dtypes=("bool",), keyword="mask", optional=True),
    ),
    companions=_key_and_value,
    parameters=(
        parameter("scale", None, (0.5, None), (1.0, 0.0), ("large",)),
        flag("is_causal", False),
        parameter("flash_attention", None, (None, False)),
    ),
    relations={"grouped": lambda params, shapes: shapes[0][2] != shapes[1][2]},
)

SPECS = (_ATTENTION,)
