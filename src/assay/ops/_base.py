"""What an op spec says: parameters, tensors, shape rule, and facts about the op.

A spec is a table of facts. It names no library object: the public path of the
op is resolved by the worker. Values that depend on the shapes at hand (an axis,
a kernel as large as its input) are choices with a function.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from assay.ops._draw import Draw

Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]
Params = Mapping[str, Any]
#: Output shapes of a call; raises ``Invalid`` when there is none.
ShapeRule = Callable[[Params, Shapes], Shapes]


class Invalid(Exception):
    """Parameters and shapes that do not go together: not an error, draw again."""


class Context(NamedTuple):
    """What is known when a parameter is drawn: the shapes and the parameters before it.

    ``slots`` are the positions of the shapes' tensors in the spec.
    """

    draw: Draw
    shapes: Shapes
    params: Params
    slots: tuple[int, ...] = ()

    def shape_of(self, slot: int) -> Shape | None:
        """The shape of the tensor at a position of the spec; None if it is left out."""
        return self.shapes[self.slots.index(slot)] if slot in self.slots else None


class Choice(msgspec.Struct, frozen=True):
    """One class of values of a parameter, under the label coverage counts.

    ``make`` gives a value that fits the context, or raises ``Invalid`` when the
    class has no member there.
    """

    label: str
    value: Any = None
    make: Callable[[Context], Any] | None = None

    def draw(self, context: Context) -> Any:
        """A value of the class."""
        return self.value if self.make is None else self.make(context)


class Parameter(msgspec.Struct, frozen=True):
    """A parameter: what is usual, what is legal but at the edge, what must be refused.

    A parameter that is not ``required`` may be left out; then the library uses
    ``default``, which the shape rule sees. An ``argument`` is given to the call
    of the object, not to its constructor.
    """

    name: str
    valid: tuple[Choice, ...]
    boundary: tuple[Choice, ...] = ()
    invalid: tuple[Choice, ...] = ()
    default: Any = None
    required: bool = False
    argument: bool = False


def _choices(values: tuple[Any, ...]) -> tuple[Choice, ...]:
    def label(value: Any) -> str:
        return value if isinstance(value, str) else repr(value).replace(" ", "")

    return tuple(
        value if isinstance(value, Choice) else Choice(label(value), value) for value in values
    )


#: Says that a parameter has no default.
REQUIRED: Any = msgspec.UNSET


def parameter(
    name: str,
    default: Any = REQUIRED,
    valid: tuple[Any, ...] = (),
    boundary: tuple[Any, ...] = (),
    invalid: tuple[Any, ...] = (),
    argument: bool = False,
) -> Parameter:
    """A parameter from plain values; each value is a class of its own unless it is a Choice."""
    required = default is REQUIRED
    return Parameter(
        name=name,
        valid=_choices(valid),
        boundary=_choices(boundary),
        invalid=_choices(invalid),
        default=None if required else default,
        required=required,
        argument=argument,
    )


class Domain(msgspec.Struct, frozen=True):
    """Where the elements of a tensor come from.

    ``low`` to ``high`` is the ordinary range. ``special`` says whether the
    value classes (zeros, NaN, huge …) are legal; labels, for one, have none.
    ``kind`` names the recipe; ``"ids"`` are whole numbers low..high, both
    included, whose special class is a number outside of that range; ``"ordered"``
    ones ascend along the last axis. ``classes`` are the value classes that are
    legal, if not all are (a probability is never huge). A matrix structure
    (``"invertible"`` …) is a property of the last two axes and has special
    classes of its own. ``whole`` is the range of integer dtypes, where it matters
    (divisors are not 0). ``documented`` is the range beyond which nobody says what an op gives:
    searches for large errors stay in it.
    """

    low: float = -2.0
    high: float = 2.0
    special: bool = True
    kind: Literal[
        "uniform",
        "ids",
        "one_hot",
        "probabilities",
        "signs",
        "ordered",
        "invertible",
        "symmetric",
        "positive_definite",
        "lower",
        "upper",
        "affine",
        "corners",
    ] = "uniform"
    classes: tuple[str, ...] = ()
    whole: tuple[int, int] | None = None
    documented: tuple[float, float] | None = None


REAL = Domain()


#: A shape of the palette as one that an op can take.
Fit = Callable[[Draw, Shape], Shape]


class Tensor(msgspec.Struct, frozen=True):
    """One tensor that a call reads.

    ``ranks`` include the batch. The first of ``dtypes`` is the usual one.
    ``fit`` turns a shape of the palette into one the op can take (square
    matrices, say). With ``keyword`` the tensor is a keyword argument of the
    call (a mask); several of the same keyword are one list, present or left out
    together. An ``optional`` one is sometimes left out. ``limits`` gives
    low and high of the domain where parameters decide them (ids of a table);
    ``domain_for`` gives the whole domain where they do (logits or probabilities),
    and ``alternatives`` are what it may give besides ``domain``.
    A ``mixed`` one may have another dtype than the first tensor.
    """

    ranks: tuple[int, ...] = (2, 3, 4)
    dtypes: tuple[str, ...] = ("float32",)
    domain: Domain = REAL
    limits: Callable[[Params, Shapes], tuple[float, float]] | None = None
    domain_for: Callable[[Params, Shapes], Domain] | None = None
    alternatives: tuple[Domain, ...] = ()
    keyword: str = ""
    optional: bool = False
    mixed: bool = False
    fit: Fit | None = None


#: Shapes of the tensors after the first, given the first.
Companions = Callable[[Draw, Shape], Shapes]


def alone(draw: Draw, first: Shape) -> Shapes:
    """No further tensor."""
    return ()


class OpSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What Assay knows about an op without importing its library.

    ``name`` is the public path. ``tensors`` describe the inputs (none for an op
    that makes a tensor from its parameters); the last one also describes all
    further inputs of an op that takes any number, and ``companions`` decides how
    many there are. ``grouped``: the tensors are one list argument, or that many
    of equal length. ``dynamic``: the output shapes depend on values; the rule
    gives those for inputs full of ones. ``relations`` name what holds between parameters and shapes
    (kernel larger than input …). ``weights`` name the weights the op may have.
    ``training``: the op does something else when training. ``solitary``: the op
    must not be chained, because it hands on more than tensors (a mask), or is
    random when training. ``impossible`` names shape classes that no valid call
    has. ``result``: the kind of its output for float inputs;
    ``"invariants"``: signs or orders of the outputs are free, or they are random, so that workers
    compare what does not depend on them.
    """

    name: str
    rule: ShapeRule
    tensors: tuple[Tensor, ...] = (Tensor(),)
    parameters: tuple[Parameter, ...] = ()
    companions: Companions = alone
    grouped: int = False
    dynamic: bool = False
    relations: Mapping[str, Callable[[Params, Shapes], bool]] = {}
    weights: tuple[str, ...] = ()
    differentiable: bool = True
    stochastic: bool = False
    training: bool = False
    solitary: bool = False
    impossible: tuple[str, ...] = ()
    result: Literal["float", "integer", "bool", "complex", "invariants"] = "float"

    @property
    def family(self) -> str:
        """layers, ops, losses … of Keras; the whole namespace of other libraries."""
        root, _, rest = self.name.partition(".")
        return rest.partition(".")[0] if root == "keras" else self.name.rpartition(".")[0]

    def tensor(self, position: int) -> Tensor:
        """The description of the input at that position."""
        return self.tensors[min(position, len(self.tensors) - 1)]

    def domain(self, position: int, params: Params, shapes: Shapes) -> Domain:
        """Where the elements of the input at that position come from, with these parameters."""
        tensor, complete = self.tensor(position), self.complete(params)
        if tensor.domain_for is not None:
            return tensor.domain_for(complete, shapes)
        if tensor.limits is None:
            return tensor.domain
        low, high = tensor.limits(complete, shapes)
        return msgspec.structs.replace(tensor.domain, low=low, high=high)

    def complete(self, params: Params) -> dict[str, Any]:
        """The parameters with every default filled in."""
        defaults = {item.name: item.default for item in self.parameters if not item.required}
        return {**defaults, **params}

    def output_shapes(self, params: Params, shapes: Shapes) -> Shapes:
        """Output shapes of a call, or ``Invalid``."""
        return self.rule(self.complete(params), shapes)
