"""A call of an op: shapes, parameters and output shapes drawn from its spec.

Every source that needs a random node asks here, so that all of them exercise
the same classes.
"""

from itertools import combinations
from typing import Any

import msgspec

from assay.ops._base import Context, Invalid, OpSpec, Parameter, Shape, Shapes
from assay.ops._draw import Draw
from assay.ops.classes import Triple, classes_of, takes_several
from assay.ops.shapes import Palette

_ATTEMPTS = 200
_BOUNDARY_CHANCE = 0.25
_MIXED_CHANCE = 0.1
_OPTIONAL_CHANCE = 0.3
_TWINS_CHANCE = 0.2


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
    twins: bool = False

    def kind(self, place: int) -> tuple[object, ...]:
        """What two tensors have in common that may have the same values."""
        return self.shapes[place], self.dtypes[place], self.spec.tensor(self.slots[place])


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


def spoil(call: Call, draw: Draw, first: int | None = None) -> Call:
    """The call with exactly one parameter outside of its documented range.

    The ``first`` of the op's invalid values, if that is possible in this call, else any.
    ``Invalid`` if the op has no parameter that could be.
    """
    pairs = [(item, choice) for item in call.spec.parameters for choice in item.invalid]
    chosen = [] if first is None else [pairs[first]]
    for item, choice in (*chosen, *draw.order(pairs)):
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
    params, labels = _draw_params(spec, draw, shapes, slots)
    outputs = spec.output_shapes(params, shapes)
    classes = classes_of(spec, labels, params, shapes, dtypes, slots)
    call = Call(spec, params, shapes, dtypes, slots, outputs, classes)
    pairs = combinations(map(call.kind, range(len(slots))), 2) if takes_several(spec) else ()
    # Special values hide what is wrong with equal ones, so some are equal and ordinary.
    if any(one == other for one, other in pairs) and draw.chance(_TWINS_CHANCE):
        equal = (spec.name, "input", "equal")
        return msgspec.structs.replace(call, twins=True, classes=(*classes, equal))
    return call


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
) -> tuple[dict[str, Any], dict[str, str]]:
    params: dict[str, Any] = {}
    labels: dict[str, str] = {}
    # Ops with many parameters would otherwise be at an edge every time.
    edge = min(_BOUNDARY_CHANCE, 0.8 / max(1, len(spec.parameters)))
    for item in spec.parameters:
        if item.boundary and draw.chance(edge):
            label = _draw_choice(item, "boundary", Context(draw, shapes, params, slots), params)
        elif not item.required and draw.chance(0.4):
            label = "default"
        else:
            label = _draw_choice(item, "valid", Context(draw, shapes, params, slots), params)
        labels[item.name] = label
    return params, labels


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
