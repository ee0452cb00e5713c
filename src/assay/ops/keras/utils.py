"""Numeric helpers of ``keras.utils``."""

from assay.ops._base import Choice, Domain, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.axes import axis
from assay.ops.shapes import unchanged_along

_IDS = Domain(0.0, 4.0, special=False, kind="ids")


def _one_hot(params: Params, shapes: Shapes) -> Shapes:
    shape = shapes[0]
    if len(shape) > 1 and shape[-1] == 1:  # a column of ids is a vector of ids
        shape = shape[:-1]
    return ((*shape, params["num_classes"]),)


def _padded(params: Params, shapes: Shapes) -> Shapes:
    length = shapes[0][1] if params["maxlen"] is None else params["maxlen"]
    if not shapes[0][0]:
        raise Invalid("no sequence")
    return ((shapes[0][0], length, *shapes[0][2:]),)


SPECS = (
    OpSpec(
        name="keras.utils.normalize",
        rule=unchanged_along(),
        # As a NumPy array, a vector comes back as a matrix and axis 0 is taken for the
        # last (keras 3.15.1): then the rule could not say which shape comes out.
        tensors=(Tensor(ranks=(2, 3)),),
        parameters=(
            axis(default=-1, batch=False),
            parameter("order", 2, (2, 1), (3, 5), ("second", 0, 0.5)),
        ),
    ),
    OpSpec(
        name="keras.utils.to_categorical",
        rule=_one_hot,
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=("int32", "uint8"), domain=_IDS),),
        parameters=(parameter("num_classes", valid=(5, 7), boundary=(6,), invalid=("five",)),),
        differentiable=False,
    ),
    OpSpec(
        name="keras.utils.pad_sequences",
        rule=_padded,
        tensors=(Tensor(ranks=(2, 3), dtypes=("int32", "float32")),),
        parameters=(
            parameter(
                "maxlen",
                None,
                (
                    Choice("longer", make=lambda context: context.shapes[0][1] + 2),
                    Choice("shorter", make=lambda context: max(1, context.shapes[0][1] - 1)),
                ),
                (Choice("equal", make=lambda context: context.shapes[0][1]), 1),
                ("long",),
            ),
            parameter("dtype", "int32", ("int32", "float32"), invalid=("no_such_dtype",)),
            parameter("padding", "pre", ("pre", "post"), invalid=("both",)),
            parameter("truncating", "pre", ("pre", "post"), invalid=("both",)),
            parameter("value", 0.0, (0.0, -1.0), (7.0,)),
        ),
        differentiable=False,
        result="integer",
        impossible=("batch_0",),
    ),
)
