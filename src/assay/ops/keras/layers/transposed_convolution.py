"""Transposed convolution layers."""

from typing import Any

from assay.ops._base import Choice, Context, Invalid, OpSpec, Parameter, Params, Shapes, parameter
from assay.ops.keras._common import count
from assay.ops.keras.layers.convolution import images, window_parameters
from assay.ops.windows import relations, spatial, spread, with_spatial


def _length(size: int, kernel: int, stride: int, same: bool, extra: int | None) -> int:
    """Length of the output along one axis; ``kernel`` counts the gaps of dilation."""
    if extra is None:
        return size * stride + (0 if same else max(kernel - stride, 0))
    return (size - 1) * stride + kernel - (2 * (kernel // 2) if same else 0) + extra


def _transposed(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    axes = len(lengths)
    kernels, steps = spread(params["kernel_size"], axes), spread(params["strides"], axes)
    gaps = spread(params["dilation_rate"], axes)
    given = params["output_padding"]
    extras = (None,) * axes if given is None else spread(given, axes)
    if max(steps) > 1 and max(gaps) > 1:
        raise Invalid("layers document that strides > 1 exclude dilation > 1")
    same = params["padding"].lower() == "same"
    found = []
    for size, kernel, step, gap, extra in zip(lengths, kernels, steps, gaps, extras, strict=True):
        if extra is not None and not 0 <= extra < step:
            raise Invalid("output_padding must be less than strides")
        length = _length(size, gap * (kernel - 1) + 1, step, same, extra)
        if size < 1 or length < 1:
            raise Invalid(f"{size} cells give {length}")
        found.append(length)
    return (with_spatial(params, shapes[0], tuple(found), params["filters"]),)


def _steps(context: Context) -> tuple[int, ...]:
    return spread(context.params.get("strides", 1), len(spatial(context.params, context.shapes[0])))


def _below_strides(context: Context) -> Any:
    steps = _steps(context)
    if max(steps) == 1:
        raise Invalid("needs strides > 1")
    return tuple(context.draw.below(step) for step in steps)


def _largest(context: Context) -> Any:
    return tuple(step - 1 for step in _steps(context))


def _as_large_as_strides(context: Context) -> Any:
    return _steps(context)


_OUTPUT_PADDING: Parameter = parameter(
    "output_padding",
    None,
    valid=(None,),
    boundary=(
        0,
        Choice("below_strides", make=_below_strides),
        Choice("strides-1", make=_largest),
    ),
    invalid=(-1, "one", Choice("equal_strides", make=_as_large_as_strides)),
)


def _spec(axes: int) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.Conv{axes}DTranspose",
        rule=_transposed,
        parameters=(count("filters"), *window_parameters(axes, more=(_OUTPUT_PADDING,))),
        tensors=images(axes),
        relations=relations("kernel_size"),
        weights=("kernel", "bias"),
    )


SPECS = tuple(map(_spec, (1, 2, 3)))
