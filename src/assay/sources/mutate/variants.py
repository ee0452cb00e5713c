"""Variants of a model: the same layers with other values of their parameters."""

from collections.abc import Mapping
from contextlib import suppress
from math import prod
from typing import Any

import msgspec

from assay.ir import Case, Node
from assay.ir.transform import with_parameters
from assay.ops import Context, Draw, Invalid, OpSpec, Parameter, Shape, Shapes
from assay.ops.classes import Triple
from assay.ops.instance import draw_choice
from assay.ops.placing import UNKNOWN_CALL, Placed, Vocabulary, placed, shapes_of

#: Draws of a layer's parameters, of which the first is taken that the model can do with.
_TRIES = 6
#: How often a value is one at an edge.
_BOUNDARY_CHANCE = 0.25
#: A variant may be as many times as large as its seed, or as large as this in any case.
_LARGER, _SMALL = 4, 1 << 20


class How(msgspec.Struct, frozen=True):
    """What may vary: layers of ``vocabulary``, so many ``layers`` of a model at most (0: all), and
    of each a ``share`` of its parameters; not those ``kept``, by node."""

    vocabulary: Vocabulary
    kept: Mapping[str, frozenset[str]]
    layers: int
    share: float


class Variant(msgspec.Struct, frozen=True):
    """A variant, the classes of what was changed, and the parameter that is invalid on purpose."""

    case: Case
    classes: tuple[Triple, ...] = ()
    spoilt: str = ""


def varied(case: Case, words: Vocabulary, how: How, draw: Draw) -> Variant:
    """The case with other values of some parameters of its layers, as far as it stays valid.

    ``words`` know the shapes of all layers.
    """
    most = max(_LARGER * _size(case, shapes_of(case, words)), _SMALL)
    shapes = shapes_of(case, words)
    classes: dict[Triple, None] = {}
    able = [place for place, node in enumerate(case.graph.nodes) if node.op in how.vocabulary]
    for place in sorted(draw.order(able)[: how.layers or len(able)]):
        node = case.graph.nodes[place]
        spec = how.vocabulary[node.op]
        call = placed(spec, node)
        given = tuple(shapes[name] for name in call.tensors)
        for _ in range(_TRIES):
            values, found = _redrawn(spec, call, given, how, node.id, draw)
            if not values:
                break
            changed = _given(case, node, spec, values)
            with suppress(*UNKNOWN_CALL):
                outputs = spec.output_shapes({**call.params, **values}, given)
                if outputs != spec.output_shapes(call.params, given):
                    others = shapes_of(changed, words)
                    if _size(changed, others) > most:
                        continue
                    shapes = others
                case = changed
                classes.update(dict.fromkeys(found))
                break
    return Variant(case, tuple(classes))


def spoilt(variant: Variant, words: Vocabulary, how: How, draw: Draw) -> Variant:
    """The variant with one parameter of one layer outside of its documented range.

    ``Invalid`` if no layer has one that could be.
    """
    case = variant.case
    shapes = shapes_of(case, words)
    for node in draw.order([node for node in case.graph.nodes if node.op in how.vocabulary]):
        spec = how.vocabulary[node.op]
        call = placed(spec, node)
        given = tuple(shapes[name] for name in call.tensors)
        for item, choice in draw.order([(i, c) for i in spec.parameters for c in i.invalid]):
            others = {name: value for name, value in call.params.items() if name != item.name}
            try:
                value = choice.draw(Context(draw, given, others, call.slots))
            except UNKNOWN_CALL:
                continue
            if value == spec.complete(call.params).get(item.name):
                continue
            changed = _given(case, node, spec, {item.name: value})
            wrong = (spec.name, item.name, f"invalid:{choice.label}")
            return Variant(changed, (*variant.classes, wrong), item.name)
    raise Invalid("no layer of the model has an invalid value")


def _redrawn(
    spec: OpSpec, call: Placed, given: Shapes, how: How, node: str, draw: Draw
) -> tuple[dict[str, Any], list[Triple]]:
    """Other values of some parameters of a call, and their classes."""
    params, complete = dict(call.params), spec.complete(call.params)
    values: dict[str, Any] = {}
    classes: list[Triple] = []
    for item in spec.parameters:
        if item.name in how.kept.get(node, ()) or not draw.chance(how.share):
            continue
        label = _drawn(item, Context(draw, given, params, call.slots), params)
        if label and params[item.name] != complete.get(item.name):
            values[item.name] = params[item.name]
            classes.append((spec.name, item.name, label))
    return values, classes


def _drawn(item: Parameter, context: Context, params: dict[str, Any]) -> str:
    """Put a drawn value into the parameters; its label, "" if there is none."""
    kind = "boundary" if item.boundary and context.draw.chance(_BOUNDARY_CHANCE) else "valid"
    try:
        label = draw_choice(item, kind, context, params)
    except UNKNOWN_CALL:
        return ""
    return label if item.name in params else ""


def _given(case: Case, node: Node, spec: OpSpec, values: Mapping[str, Any]) -> Case:
    """The case with other values of a node's parameters, each where it belongs."""
    of_call = {item.name for item in spec.parameters if item.argument}
    params = {name: value for name, value in values.items() if name not in of_call}
    arguments = {name: value for name, value in values.items() if name in of_call}
    return with_parameters(case, node, params, arguments)


def _size(case: Case, shapes: Mapping[str, Shape]) -> int:
    """How many numbers a model has to do with, roughly: those of its tensors and dense kernels."""
    return sum(map(prod, shapes.values())) + sum(_kernel(node, shapes) for node in case.graph.nodes)


def _kernel(node: Node, shapes: Mapping[str, Shape]) -> int:
    units = node.params.get("units")
    reads = list(node.tensors())
    if not isinstance(units, int) or not reads or not shapes[reads[0]]:
        return 0
    return units * shapes[reads[0]][-1]
