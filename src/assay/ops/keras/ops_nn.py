"""Activations, losses and encodings of ``keras.ops``."""

from typing import Any

from assay.ops._base import (
    REAL,
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras._common import flag
from assay.ops.keras._labels import one_hot
from assay.ops.keras.ops_common import FLOATS, INTEGERS, fitting, multiple_of
from assay.ops.shapes import axes, same_shape, unchanged, unchanged_along

_UNSIGNED_UNIT = Domain(low=0.02, high=0.98, classes=("zero", "one", "tiny"))

# -------------------------------------------------------------- activations


def _activation(name: str, *parameters: Parameter) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=unchanged,
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=FLOATS),),
        parameters=parameters,
    )


def _along(name: str, several: bool) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=unchanged_along(),
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOATS),),
        parameters=(axis(default=-1, several=several),),
    )


def _glu(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if shapes[0][along] % 2:
        raise Invalid("glu halves an even length")
    result = list(shapes[0])
    result[along] //= 2
    return (tuple(result),)


def _one_even(draw: Draw, shape: Shape) -> Shape:
    return multiple_of(2, draw.below(len(shape)), draw, shape)


_PLAIN = (
    "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "log_sigmoid", "relu", "relu6",
    "selu", "sigmoid", "silu", "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "swish",
    "tanh_shrink",
)  # fmt: skip
_ALPHA = parameter("alpha", 1.0, (0.5, 1.0), (2.0, 1e-3), ("one",))
_SHRINK = parameter("threshold", 0.5, (0.5, 1.0), (0.0, 3.0), ("high",))
_ACTIVATIONS = (
    *(_activation(name) for name in _PLAIN),
    _activation("celu", _ALPHA),
    _activation("elu", _ALPHA),
    _activation("gelu", flag("approximate", True)),
    _activation("hard_shrink", _SHRINK),
    _activation("soft_shrink", _SHRINK),
    _activation("leaky_relu", parameter("negative_slope", 0.2, (0.2, 0.1), (0.0, 1.0), ("low",))),
    _activation("squareplus", parameter("b", 4, (4, 1.0), (0, 1e-6), ("four",))),
    _activation(
        "threshold",
        parameter("threshold", valid=(0.5, 1.0), boundary=(0.0, -1.0), invalid=("high",)),
        parameter("default_value", valid=(0.0, 2.0), boundary=(-1.0,), invalid=("none",)),
    ),
    _along("softmax", several=True),
    _along("log_softmax", several=True),
    _along("sparsemax", several=False),
    OpSpec(
        name="keras.ops.glu",
        rule=_glu,
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=FLOATS, fit=_one_even),),
        parameters=(axis(default=-1),),
    ),
)

# ------------------------------------------------------------------- losses


def _logits_or(otherwise: Domain) -> Any:
    def choose(params: Params, shapes: Shapes) -> Domain:
        return REAL if params["from_logits"] else otherwise

    return choose


def _without_axis(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[1]))
    shape = shapes[1]
    if 0 in shape[along : along + 1]:
        raise Invalid("no classes")
    return ((*shape[:along], *shape[along + 1 :]),)


def _sparse(params: Params, shapes: Shapes) -> Shapes:
    (found,) = _without_axis(params, shapes)
    if found != shapes[0]:
        raise Invalid("labels have the shape of the predictions without their classes")
    return (found,)


def _with_classes(draw: Draw, first: Shape) -> Shapes:
    """Predictions for labels: classes mostly along the last axis."""
    place = len(first) if draw.chance(0.75) else draw.below(len(first) + 1)
    return ((*first[:place], draw.between(2, 5), *first[place:]),)


def _class_ids(params: Params, shapes: Shapes) -> tuple[float, float]:
    return 0, shapes[1][params["axis"]] - 1


def _class_axis(context: Context, value: Any) -> bool:
    rank = len(context.shapes[1])
    if not -rank <= value < rank:
        return False
    along = value % rank
    shape = context.shapes[1]
    return context.shapes[0] == (*shape[:along], *shape[along + 1 :])


def _rank_1(context: Context) -> int:
    return len(context.shapes[1])


_CLASS_AXIS = fitting(
    parameter(
        "axis",
        -1,
        valid=(-1, Choice("last", make=lambda context: _rank_1(context) - 1)),
        boundary=(
            Choice("not_last", make=lambda context: context.draw.below(_rank_1(context))),
            Choice("negative", make=lambda c: c.draw.below(_rank_1(c)) - _rank_1(c)),
        ),
        invalid=(Choice("out_of_range", make=_rank_1), "last"),
    ),
    _class_axis,
)
_PROBABILITIES = Domain(low=0.05, high=0.95, special=False)
_LOSSES = (
    OpSpec(
        name="keras.ops.binary_crossentropy",
        rule=unchanged,
        tensors=(
            Tensor(ranks=(1, 2, 3), domain=Domain(low=0.0, high=1.0, classes=("zero", "one"))),
            Tensor(
                ranks=(1, 2, 3),
                domain_for=_logits_or(_UNSIGNED_UNIT),
                alternatives=(_UNSIGNED_UNIT,),
            ),
        ),
        companions=same_shape,
        parameters=(flag("from_logits", False),),
    ),
    OpSpec(
        name="keras.ops.categorical_crossentropy",
        rule=_without_axis,
        tensors=(
            one_hot((1, 2, 3)),
            Tensor(
                ranks=(1, 2, 3),
                domain_for=_logits_or(_PROBABILITIES),
                alternatives=(_PROBABILITIES,),
            ),
        ),
        companions=same_shape,
        parameters=(flag("from_logits", False), axis(default=-1)),
    ),
    OpSpec(
        name="keras.ops.sparse_categorical_crossentropy",
        rule=_sparse,
        tensors=(
            Tensor(ranks=(1, 2), dtypes=("int32",), limits=_class_ids, domain=Domain(kind="ids")),
            Tensor(
                ranks=(2, 3), domain_for=_logits_or(_PROBABILITIES), alternatives=(_PROBABILITIES,)
            ),
        ),
        companions=_with_classes,
        parameters=(flag("from_logits", False), _CLASS_AXIS),
    ),
    OpSpec(
        name="keras.ops.psnr",
        rule=lambda params, shapes: ((),),
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=("float32",), domain=Domain(0.0, 1.0)),),
        companions=same_shape,
        parameters=(parameter("max_val", valid=(1.0, 255), boundary=(0.5,), invalid=("one",)),),
    ),
)

# ---------------------------------------------------------------- encodings


def _one_hot(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]) + 1)
    return ((*shapes[0][:along], params["num_classes"], *shapes[0][along:]),)


def _multi_hot(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    rest = (*shapes[0][:along], *shapes[0][along + 1 :])
    # The labels of a sample are along the last axis or the axis given.
    if along != len(shapes[0]) - 1:
        raise Invalid("which axis holds the labels is documented for the last one only")
    return ((*rest, params["num_classes"]),)


def _classes(params: Params, shapes: Shapes) -> tuple[float, float]:
    return 0, params["num_classes"] - 1


def _encoding(name: str, rule: Any, along: Parameter, ranks: tuple[int, ...]) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=rule,
        tensors=(Tensor(ranks=ranks, dtypes=INTEGERS, domain=Domain(kind="ids"), limits=_classes),),
        parameters=(
            parameter("num_classes", valid=(4, 5), boundary=(1, 2), invalid=(-1, "five", 2.5)),
            along,
            parameter("dtype", None, ("float32", "int32"), ("bool", "float16"), ("float33",)),
        ),
        differentiable=False,
    )


_NEW_AXIS = parameter(
    "axis",
    -1,
    valid=(-1, Choice("last", make=lambda context: len(context.shapes[0]))),
    boundary=(0, Choice("any", make=lambda c: c.draw.below(len(c.shapes[0]) + 1))),
    invalid=(Choice("out_of_range", make=lambda context: len(context.shapes[0]) + 1), "last"),
)
_ENCODINGS = (
    _encoding("one_hot", _one_hot, _NEW_AXIS, (0, 1, 2, 3)),
    _encoding("multi_hot", _multi_hot, parameter("axis", -1, valid=(-1,)), (1, 2)),
)


SPECS = (
    *_ACTIVATIONS,
    *_LOSSES,
    *_ENCODINGS,
    OpSpec(
        name="keras.ops.polar",
        rule=unchanged,
        tensors=(Tensor(ranks=(1, 2, 3)),),
        companions=same_shape,
        differentiable=False,
        result="complex",
    ),
)
