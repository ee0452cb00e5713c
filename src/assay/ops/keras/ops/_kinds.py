"""Kinds of functions in ``keras.ops``: one constructor of op specs per kind.

A module of the folder is then a table: the name of each function, and where it differs
from its kind. Names are given without the ``keras.ops.`` prefix.
"""

from collections.abc import Callable
from typing import Any, Literal

from assay.ops._base import (
    REAL,
    Companions,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    ShapeRule,
    Shapes,
    Tensor,
    alone,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._parameters import KEEPDIMS, dtype_parameter
from assay.ops.shapes import axes, broadcast, broadcastable, unchanged, unchanged_along

Result = Literal["float", "integer", "bool"]
Relations = dict[str, Callable[[Params, Shapes], bool]]

#: Dtypes of inputs; the first is the usual one.
FLOAT = ("float32", "float16")
NUMERIC = ("float32", "int32", "float16", "uint8", "int8")
ANY = (*NUMERIC, "bool")
#: For functions whose first inputs are whole numbers.
WHOLE = ("int32", "uint8", "int8")

POSITIVE = Domain(low=0.1, high=3.0)
#: Where arcsin and the like are defined; special values are outside and give NaN.
UNIT = Domain(low=-0.95, high=0.95)
#: Integers must not be divided by zero; floats may.
DIVISOR = Domain(whole=(1, 9))
SMALL = (0, 1, 2, 3)
AT_LEAST_1 = (1, 2, 3)
AT_LEAST_2 = (2, 3, 4)


def path(name: str) -> str:
    """The public path of a function."""
    return f"keras.ops.{name}"


# ---------------------------------------------------------------- element-wise


def unary(
    name: str,
    dtypes: tuple[str, ...] = NUMERIC,
    domain: Domain = REAL,
    result: Result = "float",
    differentiable: bool = True,
    parameters: tuple[Parameter, ...] = (),
) -> OpSpec:
    """A function of each element of one tensor."""
    return OpSpec(
        name=path(name),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, dtypes=dtypes, domain=domain),),
        parameters=parameters,
        differentiable=differentiable and result == "float",
        result=result,
    )


def either_broadcasts(draw: Draw, first: Shape) -> Shapes:
    """One further tensor that broadcasts with the first: smaller, equal, or of higher rank."""
    if draw.chance(0.15):
        return ((2, *first),)
    return broadcastable(draw, first)


def binary(
    name: str,
    dtypes: tuple[str, ...] = NUMERIC,
    domain: Domain = REAL,
    second: Domain | None = None,
    second_dtypes: tuple[str, ...] = (),
    result: Result = "float",
    differentiable: bool = True,
    mixed: bool = True,
    parameters: tuple[Parameter, ...] = (),
) -> OpSpec:
    """A function of the elements of two tensors that broadcast.

    ``second`` and ``second_dtypes`` describe the second tensor where it differs
    from the first; ``mixed``: the two may have different dtypes.
    """
    first = Tensor(ranks=SMALL, dtypes=dtypes, domain=domain, mixed=mixed)
    other = Tensor(
        ranks=SMALL, dtypes=second_dtypes or dtypes, domain=second or domain, mixed=mixed
    )
    return OpSpec(
        name=path(name),
        rule=broadcast,
        # One description where both are alike: only then they can have equal values.
        tensors=(first,) if first == other else (first, other),
        companions=either_broadcasts,
        parameters=parameters,
        differentiable=differentiable and result == "float",
        result=result,
    )


def predicate(name: str, dtypes: tuple[str, ...] = ANY) -> OpSpec:
    """A yes or no for each element."""
    return unary(name, dtypes, result="bool")


def comparison(name: str, dtypes: tuple[str, ...] = ANY) -> OpSpec:
    """A yes or no for each pair of elements."""
    return binary(name, dtypes, result="bool")


# ------------------------------------------------------------------ reductions


def reduced(shape: Shape, along: Any, keepdims: bool = False) -> Shape:
    """The shape after a reduction; ``along`` is None (everything), an axis or several."""
    gone = range(len(shape)) if along is None else axes(along, len(shape))
    if keepdims:
        return tuple(1 if place in gone else length for place, length in enumerate(shape))
    return tuple(length for place, length in enumerate(shape) if place not in gone)


def reduction_rule(empty: bool) -> ShapeRule:
    """Reduction over ``axis``; unless ``empty``, over at least one element."""

    def rule(params: Params, shapes: Shapes) -> Shapes:
        along = params["axis"]
        gone = range(len(shapes[0])) if along is None else axes(along, len(shapes[0]))
        if not empty and any(shapes[0][place] == 0 for place in gone):
            raise Invalid("nothing to reduce")
        return (reduced(shapes[0], along, params.get("keepdims", False)),)

    return rule


def reduction(
    name: str,
    dtypes: tuple[str, ...] = NUMERIC,
    domain: Domain = REAL,
    several: bool = True,
    empty: bool = True,
    keepdims: bool = True,
    result: Result = "float",
    differentiable: bool = True,
    parameters: tuple[Parameter, ...] = (),
    ranks: tuple[int, ...] = SMALL,
) -> OpSpec:
    """A function over the axes ``axis`` (None: all of them), with ``keepdims``.

    ``several``: a tuple of axes is allowed; ``empty``: reducing nothing has a value.
    """
    first = (axis(default=None, several=several, nothing=True),)
    return OpSpec(
        name=path(name),
        rule=reduction_rule(empty),
        tensors=(Tensor(ranks=ranks, dtypes=dtypes, domain=domain),),
        parameters=(*first, *((KEEPDIMS,) if keepdims else ()), *parameters),
        differentiable=differentiable and result == "float",
        result=result,
    )


def position(name: str, dtypes: tuple[str, ...] = NUMERIC) -> OpSpec:
    """A reduction to an index: one axis or all, at least one element."""
    return reduction(
        name, dtypes, several=False, empty=False, result="integer", differentiable=False
    )


def _scan(params: Params, shapes: Shapes) -> Shapes:
    if params["axis"] is None:
        size = 1
        for length in shapes[0]:
            size *= length
        return ((size,),)
    axes(params["axis"], len(shapes[0]))
    return (shapes[0],)


def scan(name: str, dtypes: tuple[str, ...] = NUMERIC, domain: Domain = REAL) -> OpSpec:
    """A running total along one axis, or (None) over all elements in order."""
    return OpSpec(
        name=path(name),
        rule=_scan,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=dtypes, domain=domain),),
        parameters=(axis(default=None, nothing=True), dtype_parameter()),
    )


def along_axis(
    name: str,
    dtypes: tuple[str, ...] = NUMERIC,
    domain: Domain = REAL,
    result: Result = "float",
    differentiable: bool = True,
    default: Any = -1,
) -> OpSpec:
    """A function along one axis that keeps the shape (sort, argsort)."""
    return OpSpec(
        name=path(name),
        rule=unchanged_along("axis"),
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=dtypes, domain=domain),),
        parameters=(axis(default=default),),
        differentiable=differentiable and result == "float",
        result=result,
    )


# ------------------------------------------------------------- shapes, creation


def moving(
    name: str,
    rule: ShapeRule,
    parameters: tuple[Parameter, ...] = (),
    ranks: tuple[int, ...] = SMALL,
    companions: Companions = alone,
    grouped: bool = False,
    dtypes: tuple[str, ...] = MOVABLE,
    relations: Relations | None = None,
) -> OpSpec:
    """A function that moves elements of one tensor, or of a list of them (``grouped``)."""
    return OpSpec(
        name=path(name),
        rule=rule,
        parameters=parameters,
        tensors=(Tensor(ranks=ranks, dtypes=dtypes),),
        companions=companions,
        grouped=grouped,
        relations=relations or {},
    )


def creation(
    name: str,
    rule: ShapeRule,
    parameters: tuple[Parameter, ...],
    result: Result = "float",
) -> OpSpec:
    """A function that makes a tensor from its parameters alone."""
    return OpSpec(
        name=path(name),
        rule=rule,
        tensors=(),
        parameters=parameters,
        differentiable=False,
        result=result,
    )


UP_TO_4 = (1, 2, 3, 4)
