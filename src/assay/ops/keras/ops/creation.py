"""Tensors from parameters or ends: constants, ranges, windows, grids."""

from math import ceil, prod
from typing import Any

from assay.ops._base import (
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
from assay.ops.keras._common import MOVABLE, flag
from assay.ops.keras.ops._kinds import ANY, SMALL, creation, either_broadcasts, moving, path
from assay.ops.keras.ops._parameters import SHAPE, dtype_parameter, given_shape, whole
from assay.ops.shapes import axes, broadcast, unchanged

#: Samples up to infinity are not documented.
_FINITE = ("zero", "negative_zero", "one", "subnormal", "tiny", "tied", "large_mean")
#: A geometric progression has ends of one sign, never zero.
_ENDS = Domain(low=0.1, high=3.0, special=False, whole=(1, 9))

# ----------------------------------------------------------------------- ranges


def _arange(params: Params, shapes: Shapes) -> Shapes:
    start, stop, step = params["start"], params["stop"], params["step"]
    start, stop = (0, start) if stop is None else (start, stop)
    step = 1 if step is None else step
    if step == 0:
        raise Invalid("no step")
    fractions = any(isinstance(value, float) for value in (start, stop, step))
    if fractions and params["dtype"] == "int32":
        raise Invalid("fractions are no integers")
    length = ceil((stop - start) / step)
    if length < 0:
        raise Invalid("the step leads away from the end")
    return ((length,),)


_ARANGE = (
    parameter("start", valid=(0, 2, 5, -3), boundary=(0.5, 7.0, -1.5), invalid=("zero",)),
    parameter("stop", None, valid=(6, 9, None), boundary=(0, -4, 6.5), invalid=("nine",)),
    parameter("step", None, valid=(1, 2, None), boundary=(-1, -2, 0.5, 3), invalid=(0, "two")),
    dtype_parameter("float32", "int32", "float16"),
)


def _samples(params: Params, shapes: Shapes) -> Shapes:
    (ends,) = broadcast(params, shapes)
    if params["num"] < 0:
        raise Invalid("a negative number of samples")
    if params.get("retstep") and params["num"] < 2:
        raise Invalid("no step between fewer than two samples")
    (place,) = axes(params["axis"], len(ends) + 1)
    found = (*ends[:place], params["num"], *ends[place:])
    return (found, ends) if params.get("retstep") else (found,)


def _spaced(name: str, domain: Domain, *extra: Parameter) -> OpSpec:
    """Samples between two ends, along a new axis."""
    return OpSpec(
        name=path(name),
        rule=_samples,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=("float32", "int32"), domain=domain),),
        companions=either_broadcasts,
        parameters=(
            whole("num", 50, valid=(5, 4), boundary=(0, 1, 2), invalid=(-1, "five")),
            flag("endpoint", True),
            *extra,
            dtype_parameter("float32"),
            parameter("axis", 0, valid=(0,), boundary=(-1,), invalid=(9, "last")),
        ),
    )


# ---------------------------------------------------------------------- windows

#: Not 2: there some windows are 0 everywhere, and rounding is all one sees.
_LENGTH = parameter("x", valid=(5, 8), boundary=(0, 1, 3), invalid=("five", (3, 4)))


def _window(params: Params, shapes: Shapes) -> Shapes:
    return ((params["x"],),)


# -------------------------------------------------------------------- constants

_FILL = parameter("fill_value", valid=(0, 1, 3), boundary=(2.5, True, 100), invalid=("full",))
_NOT_A_LENGTH = (-1, "three", 2.5)


def _eye(params: Params, shapes: Shapes) -> Shapes:
    return ((params["N"], params["N"] if params["M"] is None else params["M"]),)


def _identity(params: Params, shapes: Shapes) -> Shapes:
    return ((params["n"],) * 2,)


def _dtype() -> Any:
    return dtype_parameter("float32", "int32", "float16", "bool")


def _like(name: str) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, dtypes=ANY),),
        parameters=(dtype_parameter("float32", "int32", "bool", "float16"),),
        differentiable=False,
        # Whatever dtype says: nothing float can follow for certain.
        result="integer",
    )


# ------------------------------------------------------------- grids and powers


def _meshgrid(params: Params, shapes: Shapes) -> Shapes:
    lengths = [prod(shape) for shape in shapes]
    if params["indexing"] == "xy" and len(lengths) > 1:
        lengths[0], lengths[1] = lengths[1], lengths[0]
    return (tuple(lengths),) * len(shapes)


def _other_vectors(draw: Draw, first: Shape) -> Shapes:
    return tuple((draw.between(1, 5),) for _ in range(draw.below(4)))


def _vander(params: Params, shapes: Shapes) -> Shapes:
    (length,) = shapes[0]
    return ((length, length if params["N"] is None else params["N"]),)


SPECS = (
    creation("arange", _arange, _ARANGE),
    _spaced("linspace", Domain(classes=_FINITE), flag("retstep", False)),
    _spaced(
        "logspace",
        Domain(low=-1.5, high=1.5, classes=_FINITE[:-1]),
        parameter("base", 10, valid=(10, 2, 2.0), boundary=(0.5, 1), invalid=("ten",)),
    ),
    _spaced("geomspace", _ENDS),
    *(creation(name, _window, (_LENGTH,)) for name in ("bartlett", "blackman", "hamming")),
    creation("hanning", _window, (_LENGTH,)),
    creation(
        "kaiser",
        _window,
        (_LENGTH, parameter("beta", valid=(14.0, 2.5), boundary=(0.0, 8), invalid=("narrow",))),
    ),
    creation(
        "eye",
        _eye,
        (
            parameter("N", valid=(3, 5), boundary=(0, 1), invalid=_NOT_A_LENGTH),
            parameter("M", None, valid=(None, 3, 4), boundary=(0, 1, 7), invalid=_NOT_A_LENGTH),
            whole("k", 0, valid=(0, 1, -1), boundary=(2, -2, 9, -9)),
            _dtype(),
        ),
    ),
    creation(
        "identity",
        _identity,
        (parameter("n", valid=(3, 5), boundary=(0, 1), invalid=_NOT_A_LENGTH), _dtype()),
    ),
    creation("full", given_shape, (SHAPE, _FILL, dtype_parameter("float32", "int32"))),
    OpSpec(
        name=path("full_like"),
        rule=unchanged,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=MOVABLE),),
        parameters=(_FILL, dtype_parameter("float32", "int32")),
        differentiable=False,
    ),
    creation("ones", given_shape, (SHAPE, dtype_parameter("float32", "int32", "bool"))),
    creation("zeros", given_shape, (SHAPE, dtype_parameter("float32", "int32", "bool"))),
    _like("ones_like"),
    _like("zeros_like"),
    moving(
        "meshgrid",
        _meshgrid,
        (parameter("indexing", "xy", ("xy", "ij"), invalid=("yx", 1)),),
        (1,),
        _other_vectors,
    ),
    OpSpec(
        name="keras.ops.vander",
        rule=_vander,
        tensors=(Tensor(ranks=(1,), dtypes=("float32", "int32")),),
        parameters=(
            parameter("N", None, (None, 3, 4), (0, 1, 9), (-1, "three", 2.5)),
            flag("increasing", False),
        ),
    ),
)
