"""Which formula says what an op means in ball arithmetic, and how a call reaches it.

A formula has the op's own signature, as functions of the reference have: positional arguments
of the call, then each parameter it knows with the documented default. It is given exact
numbers or balls and returns a ball that holds the exact result, whatever the precision.

``@elementwise`` takes one number of each array: its parameters of type ``arb``. It may return a
float (exact; an infinity or NaN where IEEE 754 or the documentation says so), ``Special`` or
``Open``, too. ``edges`` is asked first, with Python floats, where an argument is not finite or is
zero, and returns None to leave the answer to the formula.

``@arraywise`` takes object arrays of balls and returns one, or a tuple. An argument that is not
finite becomes a ball without information; with ``sums=True`` (sums of products, whose NaN and
infinities IEEE 754 defines in any order) infinities stay and NaN is an answer.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from flint import arb

from assay.judge.balls.truth import Open

Function = Callable[..., Any]


class NoFormula(LookupError):
    """There is no formula in ball arithmetic for the op, or none that knows a parameter."""


class NoTruth(LookupError):
    """The documentation leaves the result of this call open."""


class Formula(msgspec.Struct, frozen=True):
    """How to enclose the results of one op."""

    op: str
    evaluate: Function
    defaults: dict[str, Any]
    parameters: tuple[str, ...]
    elementwise: bool
    #: How many numbers an elementwise formula takes.
    numbers: int = 0
    edges: Function | None = None
    sums: bool = False
    weights: bool = False


_REGISTRY: dict[str, Formula] = {}
#: Parameters of layers and losses that do not change what is computed on given weights.
_IDLE = ("name", "trainable", "autocast", "synchronized", "dtype", "seed")
_IDLE_ENDINGS = ("_initializer", "_regularizer", "_constraint")


def _register(
    paths: tuple[str, ...], function: Function, fixed: dict[str, Any], **facts: Any
) -> None:
    described = [
        item for item in inspect.signature(function).parameters.values() if item.name not in fixed
    ]
    weights = bool(described) and described[0].name == "weights"
    described = described[1:] if weights else described
    defaults = {item.name: item.default for item in described if item.default is not item.empty}
    for path in paths:
        if path in _REGISTRY:
            raise ValueError(f"{path} has two formulas")
        _REGISTRY[path] = Formula(
            path,
            _bound(function, fixed),
            defaults,
            tuple(item.name for item in described),
            numbers=sum(item.annotation in (arb, item.empty) for item in described),
            weights=weights,
            **facts,
        )


def _bound(function: Function, fixed: dict[str, Any]) -> Function:
    if not fixed:
        return function
    return lambda *values, **named: function(*values, **named, **fixed)


def elementwise(
    *paths: str, edges: Function | None = None, **fixed: Any
) -> Callable[[Function], Function]:
    """Register a formula of single elements; ``fixed`` are arguments that callers do not have."""

    def register(function: Function) -> Function:
        _register(paths, function, fixed, elementwise=True, edges=edges)
        return function

    return register


def arraywise(*paths: str, sums: bool = False, **fixed: Any) -> Callable[[Function], Function]:
    """Register a formula of whole arrays. A first parameter ``weights`` gets those of a layer."""

    def register(function: Function) -> Function:
        _register(paths, function, fixed, elementwise=False, sums=sums)
        return function

    return register


#: Means the activation that it is given.
_ACTIVATION = "keras.layers.Activation"


def formulas() -> tuple[str, ...]:
    """The paths of all ops that have a formula."""
    return tuple(sorted((*_REGISTRY, _ACTIVATION)))


def formula_of(
    op: str, params: Mapping[str, Any] | None, given: int
) -> tuple[Formula, dict[str, Any]]:
    """The formula of a call with ``given`` positional arguments, and its parameters.

    Defaults are filled in. ``NoFormula`` if the op has none, or a parameter is neither known to
    it nor idle.
    """
    settings = dict(params or {})
    if op == _ACTIVATION:
        chosen = settings.pop("activation", None)
        if isinstance(chosen, str):
            op = f"keras.activations.{chosen}"
        elif isinstance(chosen, dict) and "$op" in chosen:
            op, settings = chosen["$op"], {**settings, **chosen.get("params", {})}
    if op not in _REGISTRY:
        raise NoFormula(f"there is no formula in ball arithmetic for {op}")
    formula = _REGISTRY[op]
    return formula, _settings_of(formula, settings, given)


def _settings_of(formula: Formula, params: dict[str, Any], given: int) -> dict[str, Any]:
    layer = formula.op.rpartition(".")[2][:1].isupper()
    rest = formula.parameters[given:]
    found = {name: formula.defaults[name] for name in rest if name in formula.defaults}
    for name, value in params.items():
        if name in rest:
            found[name] = value
        elif not (layer and (name in _IDLE or name.endswith(_IDLE_ENDINGS))):
            raise NoFormula(f"the formula of {formula.op} does not know the parameter {name}")
    missing = [name for name in rest if name not in found]
    most = formula.numbers if formula.elementwise else len(formula.parameters)
    if missing or given > most:
        raise NoFormula(
            f"the formula of {formula.op} takes {', '.join(formula.parameters)}; "
            f"received {given} arguments and {', '.join(params) or 'no parameters'}"
        )
    return found


def unary(
    *paths: str,
    plus: Any = None,
    minus: Any = None,
    nan: Any = math.nan,
    negative_zero: Any = None,
    **fixed: Any,
) -> Callable[[Function], Function]:
    """Register a formula of one number, with its values at infinities, NaN and -0.

    Each is a float (exact), ``Special``, ``Open``, or a function of the parameters that gives
    one or a ball. What is not given at an infinity is open, at -0 what the formula says of 0.
    """
    unknown = Open("not defined at infinity")
    table = {
        "plus": unknown if plus is None else plus,
        "minus": unknown if minus is None else minus,
        "nan": nan,
        "zero": negative_zero,
    }

    def edges(x: float, **params: Any) -> Any:
        if x != x:
            key = "nan"
        elif math.isinf(x):
            key = "plus" if x > 0 else "minus"
        elif math.copysign(1.0, x) < 0:
            key = "zero"
        else:
            return None
        value = table[key]
        return value(**params) if callable(value) else value

    return elementwise(*paths, edges=edges, **fixed)
