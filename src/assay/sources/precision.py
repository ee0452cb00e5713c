"""One call of an op whose tensors of floats are searched; the rest of it stays as it was drawn."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import msgspec

from assay.ir import Case, Graph, Input, Recipe, Uniform, derive
from assay.ops import Domain, Draw, Invalid, OpSpec, Shape
from assay.ops.instance import Call, instantiate
from assay.ops.shapes import Palette
from assay.ops.values import ordinary
from assay.search import Tensor
from assay.sources._assemble import domain_of, node_of

#: Shapes of the first tensor, by rank: enough elements for vector lanes, not all a multiple.
_SHAPES: Mapping[int, Shape] = {
    0: (),
    1: (17,),
    2: (3, 6),
    3: (2, 5, 4),
    4: (1, 7, 8, 3),
    5: (1, 5, 4, 5, 2),
}
_ATTEMPTS = 80
#: What a tensor must be for any numbers to be numbers of it.
_FREE = ("uniform", "invertible")


class Unsearchable(Exception):
    """Nothing of this op can be searched; the message says why in one line."""


class Drawn(NamedTuple):
    """A case of one node, and the tensors of it that are searched."""

    case: Case
    tensors: tuple[Tensor, ...]

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of all inputs, searched or not."""
        return tuple(item.shape for item in self.case.graph.inputs)


class Wishes(msgspec.Struct, frozen=True):
    """What a call should be like: the shape of its first tensor, and parameters.

    ``fixed`` parameters have these values, the ``varied`` ones are drawn, all others are left out
    if they can be.
    """

    shape: Shape | None = None
    fixed: Mapping[str, Any] = {}
    varied: tuple[str, ...] = ()
    weights: tuple[float, float] = (-0.5, 0.5)


def drawn(spec: OpSpec, wishes: Wishes, seed: int, turn: int = 0) -> Drawn:
    """A valid call: a function of its arguments. ``Unsearchable`` if there is none."""
    _check(spec)
    shape, palette = _first_shape(spec, wishes.shape), Palette(derive(seed, "palette"))
    found: list[Call] = []
    for attempt in range(_ATTEMPTS):
        draw = Draw(derive(seed, "call", spec.name, turn, attempt))
        try:
            call = instantiate(spec, draw, palette, shape, "float32", optional=False)
            call = _as_wished(call, wishes)
        except Invalid:
            continue
        if not all(prod(item) for item in (*call.shapes, *call.outputs)):
            continue
        found.append(call)
        # As many tensors as possible are searched: those of the shape of the first.
        if all(item == call.shapes[0] for item in call.shapes):
            break
    if not found:
        raise Unsearchable(f"{spec.name} has no valid call on {_text(shape)}")
    alike = [call for call in found if all(item == call.shapes[0] for item in call.shapes)]
    return _assembled((alike or found)[0], wishes, derive(seed, spec.name, turn))


def _check(spec: OpSpec) -> None:
    if spec.result != "float":
        kind = "numbers that can be compared" if spec.result == "invariants" else "floats"
        raise Unsearchable(f"{spec.name} gives no {kind}")
    if spec.stochastic:
        raise Unsearchable(f"{spec.name} is random")
    if not spec.tensors or "float32" not in spec.tensors[0].dtypes:
        raise Unsearchable(f"{spec.name} takes no tensor of floats first")


def _first_shape(spec: OpSpec, wished: Shape | None) -> Shape:
    ranks = spec.tensors[0].ranks
    if wished is not None:
        if len(wished) not in ranks:
            told = ", ".join(map(str, ranks))
            raise Unsearchable(f"{spec.name} takes tensors of rank {told}, not {_text(wished)}")
        return wished
    return default_shape(spec)


def default_shape(spec: OpSpec) -> Shape:
    """The shape of the first tensor where nothing is wished; with channels last."""
    ranks = spec.tensors[0].ranks
    rank = 1 if 1 in ranks else min(ranks)
    shape = _SHAPES.get(rank, (2,) * rank)
    fit = spec.tensors[0].fit
    return shape if fit is None else fit(Draw(0), shape)


def _as_wished(call: Call, wishes: Wishes) -> Call:
    needed = {item.name for item in call.spec.parameters if item.required}
    kept = (needed | set(wishes.varied)) - {"dtype"}
    params = {name: value for name, value in call.params.items() if name in kept}
    params |= wishes.fixed
    outputs = call.spec.output_shapes(params, call.shapes)
    return msgspec.structs.replace(call, params=params, outputs=outputs)


def _assembled(call: Call, wishes: Wishes, seed: int) -> Drawn:
    inputs: list[Input] = []
    recipes: dict[str, Recipe] = {}
    tensors: list[Tensor] = []
    for place, slot in enumerate(call.slots):
        name, shape, dtype = f"x{place}", call.shapes[place], call.dtypes[place]
        domain = domain_of(call, slot)
        inputs.append(Input(name, shape, dtype))
        recipes[name] = ordinary(domain, dtype, derive(seed, name))
        if dtype == "float32" and domain.kind in _FREE and shape == call.shapes[0]:
            tensors.append(_searched(name, shape, domain))
    if not tensors or tensors[0].name != "x0":
        kind = domain_of(call, call.slots[0]).kind
        raise Unsearchable(f"{call.spec.name} takes {kind} first, which a search would leave")
    node = node_of("n0", call, [item.name for item in inputs])
    outputs = ("n0", *(f"n0:{place}" for place in range(1, len(call.outputs))))
    low, high = wishes.weights
    case = Case(
        graph=Graph(tuple(inputs), (node,), outputs),
        inputs=recipes,
        weights=Uniform(derive(seed, "weights"), low, high),
    )
    return Drawn(case, tuple(tensors))


def _searched(name: str, shape: Shape, domain: Domain) -> Tensor:
    """A tensor within its bounds, where numbers beyond them are refused."""
    if not domain.special:
        return Tensor(name, shape, domain.low, domain.high)
    return Tensor(name, shape, *(domain.documented or ()))


def _text(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) or "a number"
