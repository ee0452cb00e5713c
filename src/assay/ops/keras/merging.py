"""Layers that merge several tensors."""

from assay.ops._base import Invalid, OpSpec, Params, Shapes
from assay.ops.axes import axis
from assay.ops.shapes import axes, differing_along_one_axis, several_same, unchanged


def _concatenate(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    rest = {(*shape[:along], *shape[along + 1 :]) for shape in shapes}
    if len(rest) > 1:
        raise Invalid(f"shapes {shapes} differ outside of axis {along}")
    total = sum(shape[along] for shape in shapes)
    return ((*shapes[0][:along], total, *shapes[0][along + 1 :]),)


def _elementwise(name: str) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.{name}", rule=unchanged, companions=several_same, grouped=True
    )


SPECS = (
    _elementwise("Add"),
    _elementwise("Multiply"),
    OpSpec(
        name="keras.layers.Concatenate",
        rule=_concatenate,
        parameters=(axis(default=-1),),
        companions=differing_along_one_axis,
        grouped=True,
    ),
)
