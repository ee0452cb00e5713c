"""A call of an op: shapes, parameters and output shapes drawn from its spec.

Every source that needs a random node asks here, so that all of them exercise
the same classes.
"""

from itertools import combinations
from typing import Any

import msgspec

from assay.ops._base import Context, Invalid, OpSpec, Parameter, Shape, Shapes, alone
from assay.ops._draw import Draw
from assay.ops.shapes import SHAPE_CLASSES, SPECIAL_SHAPES, Palette, shape_classes
from assay.ops.values import value_classes

#: (op, parameter or aspect, class): what coverage counts.
Triple = tuple[str, str, str]

_ATTEMPTS = 200
_BOUNDARY_CHANCE = 0.25
_MIXED_CHANCE = 0.1
_OPTIONAL_CHANCE = 0.3
#: How many of SHAPE_CLASSES shapes of rank 0, 1, 2, and 3 or more can have.
_CLASSES_BY_RANK = (0, 4, 5, 7)


class Call(msgspec.Struct, frozen=True):
    """A drawn call.

    ``outputs`` are the shapes the rule gives; for an invalid call, those before
    ``spoilt`` got its invalid value. ``slots`` are the positions of the tensors
    in the spec: optional ones may be absent. ``sound`` are the parameters with
    which the call is valid: other than ``params`` only for an invalid call.
    """

    spec: OpSpec
    params: dict[str, Any]
    shapes: Shapes
    dtypes: tuple[str, ...]
    slots: tuple[int, ...]
    outputs: Shapes
    classes: tuple[Triple, ...]
    spoilt: str = ""
    sound: dict[str, Any] = {}


def instantiate(
    spec: OpSpec,
    draw: Draw,
    palette: Palette,
    first: Shape | None = None,
    dtype: str = "",
    optional: bool = True,
) -> Call:
    """A valid call, of a given first shape and dtype if those are given.

    With ``optional`` it may have optional tensors. ``Invalid`` if no valid call
    was found: the op cannot take that shape.
    """
    for _ in range(_ATTEMPTS):
        try:
            slots, shapes = _draw_shapes(spec, draw, palette, first, optional)
            return _complete(spec, draw, slots, shapes, dtype)
        except Invalid:
            continue
    raise Invalid(f"{spec.name} has no valid call on {first}")


def spoil(call: Call, draw: Draw) -> Call:
    """The call with exactly one parameter outside of its documented range.

    ``Invalid`` if the op has no parameter that could be.
    """
    pairs = [(item, choice) for item in call.spec.parameters for choice in item.invalid]
    if pairs:
        pairs = [draw.in_turn("invalid", pairs), *draw.order(pairs)]
    for item, choice in pairs:
        others = {name: value for name, value in call.params.items() if name != item.name}
        try:
            value = choice.draw(Context(draw, call.shapes, others, call.slots))
        except Invalid:
            continue
        if value == call.spec.complete(call.params).get(item.name):
            continue  # beyond the end of nothing is its beginning
        kept = tuple(triple for triple in call.classes if triple[1] not in (item.name, "relation"))
        triple = (call.spec.name, item.name, f"invalid:{choice.label}")
        return msgspec.structs.replace(
            call,
            params={**others, item.name: value},
            classes=(*kept, triple),
            spoilt=item.name,
            sound=call.params,
        )
    raise Invalid(f"{call.spec.name} has no invalid parameter value here")


def _complete(spec: OpSpec, draw: Draw, slots: tuple[int, ...], shapes: Shapes, dtype: str) -> Call:
    dtypes = _draw_dtypes(spec, draw, slots, dtype)
    params, classes = _draw_params(spec, draw, shapes, slots)
    outputs = spec.output_shapes(params, shapes)
    complete = spec.complete(params)
    found = [("shape", name) for shape in shapes for name in shape_classes(shape)]
    found += [("dtype", name) for name in dtypes]
    found += [
        ("relation", name) for name, holds in spec.relations.items() if holds(complete, shapes)
    ]
    triples = dict.fromkeys((spec.name, *pair) for pair in (*classes, *found))
    return Call(spec, params, shapes, dtypes, slots, outputs, tuple(triples))


def _draw_shapes(
    spec: OpSpec, draw: Draw, palette: Palette, first: Shape | None, optional: bool
) -> tuple[tuple[int, ...], Shapes]:
    if not spec.tensors:
        if first is not None:
            raise Invalid(f"{spec.name} takes no tensor")
        return (), ()
    tensor = spec.tensors[0]
    if first is None:
        first = palette.shape(draw, draw.pick(tensor.ranks))
        if tensor.fit is not None:
            first = tensor.fit(draw, first)
    elif len(first) not in tensor.ranks:
        raise Invalid(f"rank {len(first)}")
    elif tensor.fit is not None and tensor.fit(draw, first) != first:
        raise Invalid(f"shape {first}")
    shapes = (first, *spec.companions(draw, first))
    kept: list[int] = []
    decided: dict[str, bool] = {}  # the parts of a list are there together, or not at all
    for position in range(len(shapes)):
        tensor = spec.tensor(position)
        present = not tensor.optional or (
            decided[tensor.keyword]
            if tensor.keyword in decided
            else optional and draw.chance(_OPTIONAL_CHANCE)
        )
        if tensor.keyword:
            decided[tensor.keyword] = present
        if present:
            kept.append(position)
    return tuple(kept), tuple(shapes[position] for position in kept)


def _draw_dtypes(spec: OpSpec, draw: Draw, slots: tuple[int, ...], dtype: str) -> tuple[str, ...]:
    if not slots:
        return ()
    offered = spec.tensors[0].dtypes
    if dtype and dtype not in offered:
        raise Invalid(f"dtype {dtype}")
    leading = dtype or (offered[0] if draw.chance(0.8) else draw.pick(offered))

    def chosen(slot: int) -> str:
        tensor = spec.tensor(slot)
        if slot and tensor.mixed and not dtype and draw.chance(_MIXED_CHANCE):
            return draw.pick(tensor.dtypes)
        return leading if leading in tensor.dtypes else tensor.dtypes[0]

    return tuple(chosen(slot) for slot in slots)


def _draw_params(
    spec: OpSpec, draw: Draw, shapes: Shapes, slots: tuple[int, ...]
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    params: dict[str, Any] = {}
    classes: list[tuple[str, str]] = []
    # Ops with many parameters would otherwise be at an edge every time.
    edge = min(_BOUNDARY_CHANCE, 0.8 / max(1, len(spec.parameters)))
    for item in spec.parameters:
        if item.boundary and draw.chance(edge):
            label = _draw_choice(item, "boundary", Context(draw, shapes, params, slots), params)
        elif not item.required and draw.chance(0.4):
            label = "default"
        else:
            label = _draw_choice(item, "valid", Context(draw, shapes, params, slots), params)
        classes.append((item.name, label))
    return params, classes


def _draw_choice(item: Parameter, kind: str, context: Context, params: dict[str, Any]) -> str:
    """Put a value into ``params``; the label of its class."""
    for choice in context.draw.order(getattr(item, kind)):
        try:
            params[item.name] = choice.draw(context)
        except Invalid:
            continue
        label: str = choice.label
        return label
    if item.required:
        raise Invalid(f"no {kind} {item.name} here")
    return "default"


def universe(spec: OpSpec) -> frozenset[Triple]:
    """Every triple that calls of the op can exercise, valid and invalid."""
    pairs: set[tuple[str, str]] = {("input", "ordinary")} if spec.tensors else set()
    for item in spec.parameters:
        pairs |= {(item.name, choice.label) for choice in (*item.valid, *item.boundary)}
        pairs |= {(item.name, f"invalid:{choice.label}") for choice in item.invalid}
        if not item.required:
            pairs.add((item.name, "default"))
    for tensor in spec.tensors:
        pairs |= {("dtype", name) for name in tensor.dtypes}
        for name in tensor.dtypes:
            for domain in (tensor.domain, *tensor.alternatives):
                pairs |= {("input", label) for label in value_classes(domain, name)}
    largest = max((rank for tensor in spec.tensors for rank in tensor.ranks), default=0)
    possible = SHAPE_CLASSES[: _CLASSES_BY_RANK[min(largest, 3)]]
    pairs |= {("shape", name) for name in possible if name not in spec.impossible}
    pairs |= {("relation", name) for name in spec.relations}
    if takes_several(spec):
        pairs.add(("input", "equal"))
    return frozenset((spec.name, *pair) for pair in pairs)


def parameter_classes(spec: OpSpec) -> frozenset[Triple]:
    """The triples of the parameters of valid calls."""
    names = {item.name for item in spec.parameters}
    return frozenset(
        triple
        for triple in universe(spec)
        if triple[1] in names and not triple[2].startswith("invalid:")
    ) or frozenset({(spec.name, "input", "ordinary")})


def edges(spec: OpSpec) -> frozenset[Triple]:
    """The triples of valid calls that are at an edge: boundary, special value, shape or dtype."""
    usual = {("input", "ordinary")}
    usual |= {("dtype", tensor.dtypes[0]) for tensor in spec.tensors}
    usual |= {(item.name, choice.label) for item in spec.parameters for choice in item.valid}
    usual |= {(item.name, "default") for item in spec.parameters}
    return frozenset(
        triple
        for triple in universe(spec)
        if triple[1:] not in usual
        and triple[1] != "relation"
        and not triple[2].startswith("invalid:")
        and (triple[1] != "shape" or triple[2] in SPECIAL_SHAPES)
    )


def takes_several(spec: OpSpec) -> bool:
    """Can two inputs of the same kind be given the same values?"""
    if spec.companions is alone:
        return False
    twins = any(one == other for one, other in combinations(spec.tensors, 2))
    return twins or not spec.tensor(1).keyword
