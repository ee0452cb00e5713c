"""The nn functions of ``keras.ops`` that have no window: activations, normalizations, losses …"""

from math import prod
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
from assay.ops.keras.ops_common import FLOATS, INTEGERS, fitting, multiple_of
from assay.ops.shapes import axes, same_shape, unchanged, unchanged_along
from assay.ops.windows import CHANNELS_FIRST, spread

_UNSIGNED_UNIT = Domain(low=0.02, high=0.98, classes=("zero", "one", "tiny"))
_POSITIVE = Domain(low=0.2, high=2.0, classes=("zero", "one", "tiny", "wide"))

# -------------------------------------------------------------- activations


def _activation(name: str, *parameters: Parameter, several_axes: bool = False) -> OpSpec:
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

# ----------------------------------------------------------- normalizations


def _reduced(params: Params, shapes: Shapes) -> Shapes:
    """Mean and variance over the axes."""
    shape = shapes[0]
    chosen = axes(params["axes"], len(shape))
    if any(shape[item] == 0 for item in chosen):
        raise Invalid("nothing to average")
    if params["keepdims"]:
        found = tuple(1 if i in chosen else n for i, n in enumerate(shape))
    else:
        found = tuple(n for i, n in enumerate(shape) if i not in chosen)
    return found, found


def _some_axes(context: Context, negative: bool = False) -> Any:
    rank = len(context.shapes[0])
    order = context.draw.order(range(rank))[: context.draw.between(1, rank)]
    return tuple(item - rank if negative else item for item in order)


_AXES = parameter(
    "axes",
    valid=(Choice("some", make=_some_axes), Choice("last", make=lambda c: (-1,))),
    boundary=(
        Choice("negative", make=lambda context: _some_axes(context, True)),
        Choice("all", make=lambda context: tuple(range(len(context.shapes[0])))),
        Choice("first", make=lambda context: (0,)),
    ),
    invalid=(
        Choice("out_of_range", make=lambda context: (len(context.shapes[0]),)),
        "last",
        (0, 0),
    ),
)


def _per_channel(draw: Draw, first: Shape) -> Shapes:
    """Mean, variance, offset and scale of some axis."""
    return ((draw.pick(first),),) * 4


def _batch(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if any(shape != (shapes[0][along],) for shape in shapes[1:]):
        raise Invalid("vectors of another length")
    return (shapes[0],)


def _axis_of_vectors(context: Context, value: Any) -> bool:
    rank = len(context.shapes[0])
    return -rank <= value < rank and context.shapes[1] == (context.shapes[0][value],)


def _per_axis(draw: Draw, first: Shape) -> Shapes:
    """Scale and offset: mostly of the last axis."""
    if draw.chance(0.7):
        return ((first[-1],),) * 2
    start = draw.below(len(first))
    return (first[start:],) * 2


def _normalized(params: Params, shapes: Shapes) -> Shapes:
    chosen = sorted(axes(params["axis"], len(shapes[0])))
    expected = tuple(shapes[0][item] for item in chosen)
    if any(shape != expected for shape in shapes[1:]):
        raise Invalid("scale and offset have the shape of the normalized axes")
    return (shapes[0],)


def _axis_of_scales(context: Context, value: Any) -> bool:
    shape = context.shapes[0]
    chosen = sorted(axes(value, len(shape)))
    expected = tuple(shape[item] for item in chosen)
    # Which of two axes a scale belongs to is documented for ascending axes only.
    ordered = list(axes(value, len(shape))) == chosen
    return len(context.shapes) == 1 or (ordered and context.shapes[1] == expected)


def _vector(name: str) -> Tensor:
    return Tensor(ranks=(1, 2), dtypes=FLOATS, keyword=name, optional=True)


_EPSILON = parameter("epsilon", None, (1e-3, 1e-5), (1e-12, 0.1, None), ("small",))
_NORMALIZATIONS = (
    OpSpec(
        name="keras.ops.moments",
        rule=_reduced,
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOATS),),
        parameters=(_AXES, flag("keepdims", False)),
    ),
    OpSpec(
        name="keras.ops.batch_normalization",
        rule=_batch,
        tensors=(
            Tensor(ranks=(2, 3, 4), dtypes=FLOATS),
            Tensor(ranks=(1,), dtypes=FLOATS),
            Tensor(ranks=(1,), dtypes=FLOATS, domain=_POSITIVE),
            _vector("offset"),
            _vector("scale"),
        ),
        companions=_per_channel,
        parameters=(
            fitting(axis(), _axis_of_vectors),
            parameter("epsilon", 1e-3, (1e-3, 0.1), (1e-7, 1.0), ("small",)),
        ),
    ),
    OpSpec(
        name="keras.ops.layer_normalization",
        rule=_normalized,
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOATS), _vector("gamma"), _vector("beta")),
        companions=_per_axis,
        parameters=(fitting(axis(default=-1, several=True), _axis_of_scales), _EPSILON),
    ),
    OpSpec(
        name="keras.ops.rms_normalization",
        rule=_normalized,
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOATS), _vector("scale")),
        companions=lambda draw, first: _per_axis(draw, first)[:1],
        parameters=(fitting(axis(default=-1, several=True), _axis_of_scales), _EPSILON),
    ),
    OpSpec(
        name="keras.ops.normalize",
        rule=unchanged_along(),
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=FLOATS),),
        parameters=(
            axis(default=-1),
            parameter("order", 2, (2, 1), (3, 4), (0, -1, 2.5, "two")),
            parameter("epsilon", None, (1e-3,), (1e-12, 0.5), ("small",)),
        ),
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
            Tensor(ranks=(1, 2, 3), domain_for=_logits_or(_UNSIGNED_UNIT)),
        ),
        companions=same_shape,
        parameters=(flag("from_logits", False),),
    ),
    OpSpec(
        name="keras.ops.categorical_crossentropy",
        rule=_without_axis,
        tensors=(
            Tensor(ranks=(1, 2, 3), domain=Domain(kind="one_hot")),
            Tensor(ranks=(1, 2, 3), domain_for=_logits_or(_PROBABILITIES)),
        ),
        companions=same_shape,
        parameters=(flag("from_logits", False), axis(default=-1)),
    ),
    OpSpec(
        name="keras.ops.sparse_categorical_crossentropy",
        rule=_sparse,
        tensors=(
            Tensor(
                ranks=(1, 2), dtypes=("int32",), limits=_class_ids, domain=Domain(kind="ids")
            ),
            Tensor(ranks=(2, 3), domain_for=_logits_or(_PROBABILITIES)),
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
        tensors=(
            Tensor(ranks=ranks, dtypes=INTEGERS, domain=Domain(kind="ids"), limits=_classes),
        ),
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

# ---------------------------------------------------------------- attention


def _key_and_value(draw: Draw, first: Shape) -> Shapes:
    batch, queries, heads, size = first
    groups = [count for count in range(1, heads + 1) if heads % count == 0]
    kept = heads if draw.chance(0.7) else draw.pick(groups)
    key = (batch, draw.between(1, 6), kept, size)
    weights = (batch, heads, queries, key[1])
    wide = tuple(1 if draw.chance(0.2) else length for length in weights)
    return key, key, wide, wide


def _attention(params: Params, shapes: Shapes) -> Shapes:
    return (shapes[0],)


_ATTENTION = OpSpec(
    name="keras.ops.dot_product_attention",
    rule=_attention,
    tensors=(
        Tensor(ranks=(4,), dtypes=FLOATS),
        Tensor(ranks=(4,), dtypes=FLOATS),
        Tensor(ranks=(4,), dtypes=FLOATS),
        Tensor(ranks=(4,), dtypes=FLOATS, keyword="bias", optional=True),
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

# ---------------------------------------------------------------------- CTC


def _speech(draw: Draw, first: Shape) -> Shapes:
    """Logits over enough steps for any label, and the two lengths."""
    batch, labels = first
    steps = 2 * labels + draw.between(1, 3)
    return ((batch, steps, draw.between(3, 5)), (batch,), (batch,))


def _label_ids(params: Params, shapes: Shapes) -> tuple[float, float]:
    classes = shapes[1][-1]
    return (1, classes - 1) if params["mask_index"] == 0 else (0, classes - 2)


_CTC_LOSS = OpSpec(
    name="keras.ops.ctc_loss",
    rule=lambda params, shapes: ((shapes[0][0],),),
    tensors=(
        Tensor(
            ranks=(2,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=_label_ids,
        ),
        Tensor(ranks=(3,), domain=Domain(classes=("zero", "one", "tied", "wide", "large_mean"))),
        Tensor(
            ranks=(1,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=lambda params, shapes: (1, shapes[0][1]),
        ),
        Tensor(
            ranks=(1,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=lambda params, shapes: (2 * shapes[0][1], shapes[1][1]),
        ),
    ),
    companions=_speech,
    parameters=(
        parameter(
            "mask_index",
            0,
            valid=(0,),
            boundary=(Choice("last", make=lambda context: context.shapes[1][-1] - 1),),
            invalid=("blank",),
        ),
    ),
)


def _decoded(params: Params, shapes: Shapes) -> Shapes:
    batch, steps, _ = shapes[0]
    if params["strategy"] == "greedy":
        if params["top_paths"] != 1:
            raise Invalid("greedy has one path")
        return (1, batch, steps), (batch, 1)
    if params["top_paths"] > params["beam_width"]:
        raise Invalid("more paths than beams")
    return (params["top_paths"], batch, steps), (batch, params["top_paths"])


_CTC_DECODE = OpSpec(
    name="keras.ops.ctc_decode",
    rule=_decoded,
    tensors=(
        Tensor(ranks=(3,), domain=Domain(classes=("zero", "one", "wide", "large_mean"))),
        Tensor(
            ranks=(1,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=lambda params, shapes: (1, shapes[0][1]),
        ),
    ),
    companions=lambda draw, first: ((first[0],),),
    parameters=(
        parameter("strategy", "greedy", valid=("greedy",), invalid=("fast", 1)),
        flag("merge_repeated", True),
        parameter("top_paths", 1, (1,)),
        parameter(
            "mask_index",
            0,
            valid=(0,),
            boundary=(Choice("last", make=lambda context: context.shapes[0][-1] - 1),),
        ),
    ),
    differentiable=False,
    solitary=True,
)

# ------------------------------------------------------- blocks of an image


def _blocks(context: Context) -> int:
    block: int = context.params["block_size"]
    return block


def _divided(params: Params, shape: Shape, deeper: bool) -> Shape:
    block = params["block_size"]
    first = params["data_format"] == CHANNELS_FIRST
    depth, height, width = shape[1:] if first else (shape[3], shape[1], shape[2])
    if deeper:
        if height % block or width % block:
            raise Invalid("blocks do not divide the image")
        found = (depth * block * block, height // block, width // block)
    else:
        if depth % (block * block):
            raise Invalid("blocks do not divide the channels")
        found = (depth // (block * block), height * block, width * block)
    return (shape[0], *found) if first else (shape[0], found[1], found[2], found[0])


def _deep(draw: Draw, shape: Shape) -> Shape:
    return multiple_of(draw.pick((4, 4, 8, 9)), draw.pick((1, 3, 3)), draw, shape)


def _large(draw: Draw, shape: Shape) -> Shape:
    block = draw.pick((2, 2, 3))
    start = draw.pick((1, 1, 2))
    shape = multiple_of(block, start, draw, shape)
    return multiple_of(block, start + 1, draw, shape)


def _space(name: str, deeper: bool) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=lambda params, shapes: (_divided(params, shapes[0], deeper),),
        tensors=(
            Tensor(ranks=(4,), dtypes=("float32", "int32"), fit=_large if deeper else _deep),
        ),
        parameters=(
            parameter("block_size", valid=(2,), boundary=(3,), invalid=(0, 1, -1, "two", 1.5)),
            parameter(
                "data_format",
                "channels_last",
                valid=("channels_last",),
                boundary=(CHANNELS_FIRST,),
                invalid=("channels_middle",),
            ),
        ),
    )


def _patch(params: Params, lengths: Shape) -> Shape:
    sizes = spread(params["kernel_size"], 2)
    gaps, around = spread(params["dilation"], 2), spread(params["padding"], 2)
    steps = spread(params["stride"], 2)
    if min(sizes) < 1 or min(gaps) < 1 or min(steps) < 1 or min(around) < 0:
        raise Invalid("kernel, dilation and stride must be positive")
    found = tuple(
        (length + 2 * pad - gap * (size - 1) - 1) // step + 1
        for length, pad, gap, size, step in zip(lengths, around, gaps, sizes, steps, strict=True)
    )
    if min(found) < 1:
        raise Invalid("the window does not fit")
    return found


def _unfold(params: Params, shapes: Shapes) -> Shapes:
    batch, depth, *lengths = shapes[0]
    count = prod(_patch(params, tuple(lengths)))
    return ((batch, depth * prod(spread(params["kernel_size"], 2)), count),)


def _fold(params: Params, shapes: Shapes) -> Shapes:
    batch, rows, count = shapes[0]
    size = prod(spread(params["kernel_size"], 2))
    lengths = spread(params["output_size"], 2)
    if rows % size or min(lengths) < 1 or prod(_patch(params, lengths)) != count:
        raise Invalid("the patches are not those of such an image")
    return ((batch, rows // size, *lengths),)


def _unfolded(context: Context) -> Any:
    """The image whose patches these could be; their number is split into rows and columns."""
    count = context.shapes[0][2]
    rows = context.draw.pick([n for n in range(1, count + 1) if count % n == 0])
    params = {"dilation": 1, "padding": 0, "stride": 1, **context.params}
    sizes = spread(params["kernel_size"], 2)
    gaps, around = spread(params["dilation"], 2), spread(params["padding"], 2)
    steps = spread(params["stride"], 2)
    return tuple(
        (patches - 1) * step + gap * (size - 1) + 1 - 2 * pad
        for patches, step, gap, size, pad in zip(
            (rows, count // rows), steps, gaps, sizes, around, strict=True
        )
    )


def _pairs(name: str, default: Any, valid: tuple[Any, ...], *boundary: Any) -> Parameter:
    given = {} if default is None else {"default": default}
    return parameter(
        name, **given, valid=valid, boundary=boundary, invalid=(-1, "one", (1, 2, 3))
    )


_PATCHES = (
    _pairs("kernel_size", None, (2, (2, 3)), 1, (1, 2), 3, (3, 1)),
    _pairs("dilation", 1, (1,), 2, (2, 1), (1, 3)),
    _pairs("padding", 0, (0, 1), (1, 0), 2),
    _pairs("stride", 1, (1, 2), (1, 2), 3),
)
_OUTPUT_SIZE = parameter(
    "output_size",
    valid=(Choice("matching", make=_unfolded),),
    invalid=(0, -1, "two", (1, 2, 3), Choice("other", make=lambda c: (97, 89))),
)
_BLOCKS = (
    _space("depth_to_space", deeper=False),
    _space("space_to_depth", deeper=True),
    OpSpec(
        name="keras.ops.unfold",
        rule=_unfold,
        tensors=(Tensor(ranks=(4,)),),
        parameters=_PATCHES,
    ),
    OpSpec(
        name="keras.ops.fold",
        rule=_fold,
        tensors=(
            Tensor(
                ranks=(3,),
                fit=lambda draw, shape: multiple_of(draw.pick((2, 4, 6, 9, 12)), 1, draw, shape),
            ),
        ),
        parameters=(*_PATCHES, _OUTPUT_SIZE),
    ),
)

SPECS = (
    *_ACTIVATIONS,
    *_NORMALIZATIONS,
    *_LOSSES,
    *_ENCODINGS,
    _ATTENTION,
    _CTC_LOSS,
    _CTC_DECODE,
    *_BLOCKS,
    OpSpec(
        name="keras.ops.polar",
        rule=unchanged,
        tensors=(Tensor(ranks=(1, 2, 3)),),
        companions=same_shape,
        differentiable=False,
        result="complex",
    ),
)
