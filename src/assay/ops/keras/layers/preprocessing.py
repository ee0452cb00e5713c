"""Numeric preprocessing layers."""

from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.keras._common import flag
from assay.ops.shapes import axes, same_shape, unchanged

_NUMBERS = ("float32", "int32", "float16", "uint8")

# ------------------------------------------------------------- scale and shift


def _kept(params: Params, shapes: Shapes) -> Shape:
    """The lengths of the axes that have a mean each."""
    if params["axis"] is None:
        return ()
    along = axes(params["axis"], len(shapes[0]))
    if list(along) != sorted(along) or 0 in along:
        raise Invalid("axes in order, and not the batch")
    return tuple(shapes[0][item] for item in along)


def _per_index(context: Context, values: tuple[float, ...]) -> Any:
    """A value for each index, unless the mean is one for all: both must have one shape."""
    if not isinstance(context.params.get("mean", ()), tuple):
        raise Invalid("one mean for all")
    kept = _kept({"axis": -1, **context.params}, context.shapes)
    if len(kept) != 1:
        raise Invalid("one axis")
    return tuple(values[i % len(values)] for i in range(kept[0]))


def _one_for_all(value: float) -> Choice:
    def make(context: Context) -> float:
        if isinstance(context.params.get("mean"), tuple):
            raise Invalid("a mean for each index")
        return value

    return Choice(repr(value), make=make)


def _wrong_length(context: Context) -> Any:
    kept = _kept({"axis": -1, **context.params}, context.shapes)
    return (1.0,) * ((kept[0] if kept else 1) + 2)


def _normalization(params: Params, shapes: Shapes) -> Shapes:
    _kept(params, shapes)
    if isinstance(params["mean"], tuple) != isinstance(params["variance"], tuple):
        raise Invalid("mean and variance have different shapes")
    return (shapes[0],)


_NORMALIZATION = OpSpec(
    name="keras.layers.Normalization",
    rule=_normalization,
    tensors=(Tensor(dtypes=_NUMBERS),),
    parameters=(
        parameter(
            "axis",
            -1,
            valid=(-1, None),
            boundary=(1, (1, -1), Choice("all", make=lambda c: tuple(range(1, len(c.shapes[0]))))),
            invalid=(7, -9, "last"),
        ),
        parameter(
            "mean",
            valid=(0.5, Choice("each", make=lambda c: _per_index(c, (0.5, -1.0, 2.0)))),
            boundary=(0.0, 4096.0),
            invalid=(Choice("wrong_length", make=_wrong_length),),
        ),
        parameter(
            "variance",
            valid=(
                _one_for_all(2.0),
                Choice("each", make=lambda c: _per_index(c, (1.0, 0.25, 4.0))),
            ),
            boundary=(_one_for_all(1e-6), _one_for_all(0.0), _one_for_all(1e6)),
            invalid=(Choice("wrong_length", make=_wrong_length),),
        ),
        flag("invert", False),
    ),
)

_RESCALING = OpSpec(
    name="keras.layers.Rescaling",
    rule=unchanged,
    tensors=(Tensor(dtypes=_NUMBERS),),
    parameters=(
        parameter("scale", valid=(0.5, 1 / 255), boundary=(0, -1, 3), invalid=("half",)),
        parameter("offset", 0.0, valid=(0.0, -1.0), boundary=(1e6, 2), invalid=("one",)),
    ),
)

# ------------------------------------------------------------------ categories


def _encoded(mode: str, shape: Shape, depth: int) -> Shape:
    """The shape of indices after an output mode."""
    if mode == "int":
        return shape
    if mode == "one_hot":
        return (*(shape[:-1] if shape[-1] == 1 and len(shape) > 1 else shape), depth)
    return (*shape[:-1], depth)


def _output_mode(default: Any, *modes: str) -> Any:
    return parameter("output_mode", default, modes[:2], modes[2:], ("two_hot", 1))


_BOUNDARIES = parameter(
    "bin_boundaries",
    valid=((0.0, 1.0), (-1.0, 0.0, 0.5, 1.5)),
    boundary=((0.0,), (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5)),
    invalid=("zero",),
)
_DISCRETIZATION = OpSpec(
    name="keras.layers.Discretization",
    rule=lambda p, s: (_encoded(p["output_mode"], s[0], len(p["bin_boundaries"]) + 1),),
    tensors=(Tensor(ranks=(2, 3), dtypes=("float32", "int32", "float16")),),
    parameters=(_BOUNDARIES, _output_mode("int", "int", "one_hot", "multi_hot", "count")),
    differentiable=False,
    result="integer",
)


def _tokens(name: str) -> Any:
    return parameter(name, valid=(5, 8), boundary=(1, 2), invalid=(0, -1, "five"))


def _weighted(params: Params, shapes: Shapes) -> Shapes:
    if len(shapes) > 1 and params["output_mode"] != "count":
        raise Invalid("weights are for counts")
    return (_encoded(params["output_mode"], shapes[0], params["num_tokens"]),)


_CATEGORY = OpSpec(
    name="keras.layers.CategoryEncoding",
    rule=_weighted,
    tensors=(
        Tensor(
            ranks=(1, 2),
            dtypes=("int32", "uint8"),
            domain=Domain(0, 4, kind="ids"),
            limits=lambda params, shapes: (0, params["num_tokens"] - 1),
        ),
        Tensor(ranks=(1, 2), domain=Domain(0.0, 2.0), keyword="count_weights", optional=True),
    ),
    companions=same_shape,
    parameters=(_tokens("num_tokens"), _output_mode("multi_hot", "one_hot", "multi_hot", "count")),
    differentiable=False,
    result="integer",
)


def _lookup(params: Params, shapes: Shapes) -> Shapes:
    mode = params["output_mode"]
    if params["invert"] and mode != "int":
        raise Invalid("inverse lookups give integers")
    if params["mask_token"] is not None and params["mask_token"] in params["vocabulary"]:
        raise Invalid("the mask token is not in the vocabulary")
    depth = len(params["vocabulary"]) + params["num_oov_indices"]
    return (_encoded(mode, shapes[0], depth),)


_INTEGER_LOOKUP = OpSpec(
    name="keras.layers.IntegerLookup",
    rule=_lookup,
    tensors=(Tensor(ranks=(1, 2), dtypes=("int32",), domain=Domain(0, 9, False, "ids")),),
    parameters=(
        parameter(
            "vocabulary",
            valid=((3, 1, 5), (0, 7, 2, 9, 4)),
            boundary=((6,), (1138, 42, -3)),
            invalid=(Choice("twice", (3, 3)),),
        ),
        parameter("num_oov_indices", 1, valid=(1, 2), boundary=(3,), invalid=(-1, "one")),
        parameter("mask_token", None, valid=(None,), boundary=(8,)),
        _output_mode("int", "int", "one_hot", "multi_hot", "count"),
        parameter("invert", False, valid=(False,), boundary=(True,)),
    ),
    differentiable=False,
    result="integer",
)

_HASHED = Domain(-50, 50, False, "ids")
_HASHING = (
    OpSpec(
        name="keras.layers.Hashing",
        rule=lambda p, s: (_encoded(p["output_mode"], s[0], p["num_bins"]),),
        tensors=(Tensor(ranks=(1, 2), dtypes=("int32",), domain=_HASHED),),
        parameters=(
            parameter("num_bins", valid=(3, 7), boundary=(1, 2), invalid=(0, -1, "three")),
            parameter("mask_value", None, valid=(None,), boundary=(0, 5)),
            _output_mode("int", "int", "one_hot", "multi_hot", "count"),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.layers.HashedCrossing",
        rule=lambda p, s: (_encoded(p["output_mode"], s[0], p["num_bins"]),),
        tensors=(
            Tensor(
                ranks=(1, 2),
                dtypes=("int32",),
                domain=_HASHED,
                fit=lambda draw, shape: (shape[0], 1)[: len(shape)],
            ),
        ),
        companions=same_shape,
        grouped=True,
        parameters=(
            parameter("num_bins", valid=(3, 7), boundary=(1, 2), invalid=(0, -1, "three")),
            _output_mode("int", "int", "one_hot"),
        ),
        differentiable=False,
        result="integer",
    ),
)

SPECS = (
    _NORMALIZATION,
    _RESCALING,
    _DISCRETIZATION,
    _CATEGORY,
    _INTEGER_LOOKUP,
    *_HASHING,
)
