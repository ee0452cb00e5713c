"""Functions of ``keras.random``: what they draw is judged by properties, not compared.

The shape rules are those of the draws. What a worker hands over instead is a vector
of truths: ``assay_worker.random_properties`` lists them for each op.
"""

from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    ShapeRule,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._parameters import given_shape
from assay.ops.shapes import broadcast, unchanged, unchanged_along

_GENERATOR = "keras.random.SeedGenerator"


def _seed(*boundary: int) -> Parameter:
    return parameter(
        "seed",
        None,
        valid=(1337, 7, Choice("generator", {"$op": _GENERATOR, "params": {"seed": 5}})),
        boundary=(
            0,
            2**31,
            Choice("generator_without_seed", {"$op": _GENERATOR, "params": {}}),
            *boundary,
        ),
        invalid=("seven", 1.5),
    )


#: Documented is any integer, but all functions share what makes 32 bits of it: seeds
#: that do not fit would be one fault with ten names, so only ``uniform`` gets them.
_SEED = _seed()
_WIDE_SEED = _seed(-1, 2**40)
#: Few, since JAX compiles each for seconds; the last one is large enough for what goes wrong
#: once in a hundred thousand elements.
_SHAPE = parameter(
    "shape",
    valid=((5,), (2, 3, 5)),
    boundary=((), (0, 3), (1, 1), (300, 700)),
    invalid=((-1, 2), "3x4", (2.5,)),
)
_FLOAT_DTYPE = parameter(
    "dtype", None, (None, "float32"), ("float16", "bfloat16"), ("no_such", "int32")
)


def _random(
    name: str,
    rule: ShapeRule,
    *parameters: Parameter,
    tensors: tuple[Tensor, ...] = (),
    seed: Parameter = _SEED,
) -> OpSpec:
    return OpSpec(
        name=f"keras.random.{name}",
        rule=rule,
        tensors=tensors,
        parameters=(*parameters, seed),
        differentiable=False,
        solitary=True,
        result="invariants",
    )


# ----------------------------------------------------------------- distributions


def _number(
    name: str, default: float, valid: tuple[float, ...], boundary: tuple[float, ...], *invalid: Any
) -> Parameter:
    return parameter(name, default, valid, boundary, (*invalid, "many"))


def _ordered(params: Params, shapes: Shapes) -> Shapes:
    """``minval`` below ``maxval``."""
    if not params["minval"] < params["maxval"]:
        raise Invalid("an empty range")
    return given_shape(params, shapes)


#: Integer dtypes that every backend has (PyTorch lacks larger unsigned ones), and their extremes.
_WHOLE = {
    "int32": (-(2**31), 2**31 - 1),
    "uint8": (0, 2**8 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
}


def _extremes(context: Context) -> tuple[int, int]:
    return _WHOLE[context.params.get("dtype", "int32")]


def _integers(params: Params, shapes: Shapes) -> Shapes:
    """A range that the dtype holds; its end is excluded, so may be one beyond."""
    low, high = _WHOLE[params["dtype"]]
    if params["minval"] < low or params["maxval"] > high + 1:
        raise Invalid(f"{params['dtype']} does not hold the range")
    return _ordered(params, shapes)


_RANDINT = (
    _SHAPE,
    parameter(
        "dtype",
        "int32",
        ("int32", "uint8"),
        ("int8", "int16"),
        ("float32", "no_such"),
    ),
    parameter(
        "minval",
        valid=(0, 3, Choice("negative", make=lambda c: -5 if _extremes(c)[0] < 0 else 5)),
        boundary=(Choice("lowest", make=lambda context: _extremes(context)[0]),),
        invalid=("low",),
    ),
    parameter(
        "maxval",
        valid=(10, 100),
        boundary=(
            Choice("one_value", make=lambda context: context.params["minval"] + 1),
            Choice("highest", make=lambda context: _extremes(context)[1]),
            Choice("beyond_highest", make=lambda context: _extremes(context)[1] + 1),
        ),
        invalid=(
            Choice("empty", make=lambda context: context.params["minval"]),
            Choice("below", make=lambda context: context.params["minval"] - 1),
            "high",
        ),
    ),
)


def _spread(*values: float) -> Choice:
    """An array that is broadcast along the other axes."""

    def make(context: Context) -> tuple[float, ...]:
        shape = context.params["shape"]
        if not shape or not 0 < shape[-1] <= 5:
            raise Invalid("no short last axis")
        return tuple(values[place % len(values)] for place in range(shape[-1]))

    return Choice("array", make=make)


def _concentration(name: str) -> Parameter:
    return parameter(
        name,
        valid=(0.5, 1.0, 2.0),
        # Below 0.01, most of the mass is where float32 has only zero and one.
        boundary=(0.001, 1000.0, _spread(0.5, 3.0, 1.0)),
        invalid=(-1.0, "many"),
    )


def _arrays(*names: str) -> ShapeRule:
    """Array parameters must broadcast to the shape."""

    def rule(params: Params, shapes: Shapes) -> Shapes:
        (wanted,) = given_shape(params, shapes)
        lengths = [
            (len(value),)
            for value in (params[name] for name in names)
            if isinstance(value, (list, tuple))
        ]
        if broadcast(params, (wanted, *lengths)) != (wanted,):
            raise Invalid("an array longer than the shape")
        return (wanted,)

    return rule


def _samples(params: Params, shapes: Shapes) -> Shapes:
    return ((shapes[0][0], params["num_samples"]),)


# ------------------------------------------------------------------ rearrangements


def _noise(kept: tuple[int, ...], unknown: bool = False) -> Any:
    """A noise shape with these axes of the input, 1 along all others."""

    def make(context: Context) -> tuple[int | None, ...]:
        shape = context.shapes[0]
        rank = len(shape)
        if rank <= len(kept):
            raise Invalid("no axis to share")
        axes = {place % rank for place in kept}
        return tuple(
            (None if unknown else length) if place in axes else 1
            for place, length in enumerate(shape)
        )

    return make


def _incompatible(context: Context) -> Shape:
    *outer, last = context.shapes[0]
    return (*outer, last + 2)


_NOISE_SHAPE = parameter(
    "noise_shape",
    None,
    valid=(None, Choice("by_sample", make=_noise((0,)))),
    boundary=(
        Choice("by_sample_and_channel", make=_noise((0, -1))),
        Choice("with_none", make=_noise((0,), unknown=True)),
        Choice("last_with_none", make=_noise((-1,), unknown=True)),
        Choice("ones", make=_noise(())),
        Choice("the_same", make=lambda context: context.shapes[0]),
    ),
    invalid=(Choice("incompatible", make=_incompatible), "wide"),
)


def _sometimes_long(draw: Draw, shape: Shape) -> Shape:
    """Of 24 different rows, no two shuffles are the same."""
    return (24, *shape[1:]) if draw.chance(0.25) else shape


SPECS = (
    _random(
        "normal",
        given_shape,
        _SHAPE,
        _number("mean", 0.0, (0.0, 1.5), (-3.0, 100, 1000.0)),
        _number("stddev", 1.0, (1.0, 0.5), (0.0, 0.001, 3), -1.0),
        _FLOAT_DTYPE,
    ),
    _random(
        "truncated_normal",
        given_shape,
        _SHAPE,
        _number("mean", 0.0, (0.0, 1.5), (-3.0, 100, 1000.0)),
        _number("stddev", 1.0, (1.0, 0.5), (0.0, 0.001, 3), -1.0),
        _FLOAT_DTYPE,
    ),
    _random(
        "uniform",
        _ordered,
        _SHAPE,
        _number("minval", 0.0, (0.0, -1.0), (0.5, -1000.0, 0)),
        _number("maxval", 1.0, (1.0, 2.0, 0.75), (1000.0, 0.001, 3)),
        _FLOAT_DTYPE,
        seed=_WIDE_SEED,
    ),
    _random("randint", _integers, *_RANDINT),
    _random(
        "gamma",
        given_shape,
        _SHAPE,
        parameter(
            "alpha", valid=(0.5, 1.0, 2.0), boundary=(0.001, 5.0, 1e4), invalid=(-1.0, "many")
        ),
        _FLOAT_DTYPE,
    ),
    _random(
        "beta",
        _arrays("alpha", "beta"),
        _SHAPE,
        _concentration("alpha"),
        _concentration("beta"),
        _FLOAT_DTYPE,
    ),
    _random(
        "binomial",
        _arrays("counts", "probabilities"),
        _SHAPE,
        parameter(
            "counts",
            valid=(1, 5, 20.0),
            boundary=(0, 2000, _spread(3, 0, 7)),
            invalid=(-1, "many"),
        ),
        parameter(
            "probabilities",
            valid=(0.5, 0.2),
            boundary=(0.0, 1.0, 0.999, _spread(0.0, 0.5, 1.0)),
            invalid=(1.5, -0.5, "half"),
        ),
        _FLOAT_DTYPE,
    ),
    _random(
        "categorical",
        _samples,
        parameter("num_samples", valid=(3, 40), boundary=(0, 1), invalid=(-1, "three", 2.5)),
        parameter(
            "dtype", "int32", ("int32",), ("uint8", "int16", "float32"), invalid=("no_such",)
        ),
        tensors=(Tensor(ranks=(2,), dtypes=("float32", "float16"), domain=Domain(-2.0, 2.0)),),
    ),
    _random(
        "dropout",
        unchanged,
        parameter(
            "rate",
            valid=(0.5, 0.2),
            boundary=(0.0, 1.0, 0.9, 0, 1),
            invalid=(-0.5, 1.5, "half"),
        ),
        _NOISE_SHAPE,
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=("float32", "float16")),),
    ),
    _random(
        "shuffle",
        unchanged_along(),
        axis(default=0),
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=MOVABLE, fit=_sometimes_long),),
    ),
)
