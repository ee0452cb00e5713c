"""From drawn calls to a case: names, recipes, loss and stage."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from assay.ir import Case, Dot, Graph, Input, Node, Recipe, Uniform, derive
from assay.ops import Domain, Draw
from assay.ops.classes import Triple
from assay.ops.instance import Call
from assay.ops.values import assorted, ordinary, special, value_classes

#: So many turns have ordinary values, and as many more for each parameter that makes a difference
#: to them, while every class of special values has one; never more than those.
_USUAL = 2
#: How often two inputs have equal values.
_EQUAL_CHANCE = 0.2
#: How often an op that takes each element by itself gets all special values at once: every
#: element is a test of its own, every pair of them for an op of two tensors.
_ASSORTED_CHANCE = 0.5
_TRAINING_CHANCE = 0.35
_EQUAL: tuple[str, ...] = ("equal",)


class Assembled(NamedTuple):
    """A case, and the triples it exercises."""

    case: Case
    classes: tuple[Triple, ...]


def assemble(calls: Sequence[Call], draw: Draw, seed: int, with_special: bool = True) -> Assembled:
    """A chain of calls as a case: each reads the first output of the one before it.

    Every other tensor is a graph input, ``with_special`` values among its numbers or not.
    The case asks for gradients when all ops are differentiable and an input is of floats
    (masks and indices are not) or an op has weights, and no value is deliberately invalid.
    """
    inputs: dict[str, Input] = {}
    recipes: dict[str, Recipe] = {}
    nodes: list[Node] = []
    classes: dict[Triple, None] = {}
    for position, call in enumerate(calls):
        classes.update(dict.fromkeys(call.classes))
        names = []
        drawn: list[tuple[tuple[object, ...], Recipe]] = []
        every = with_special and _elementwise(call) and draw.chance(_ASSORTED_CHANCE)
        for place, slot in enumerate(call.slots):
            if position and place == 0:
                names.append(nodes[-1].id)
                continue
            name = f"x{len(inputs)}"
            names.append(name)
            shape, dtype = call.shapes[place], call.dtypes[place]
            inputs[name] = Input(name, shape, dtype)
            key = call.kind(place)
            equal = [recipe for other, recipe in drawn if other == key]
            if equal and (call.twins or draw.chance(_EQUAL_CHANCE)):
                recipe, found = equal[0], _EQUAL
            elif call.twins:
                own = derive(seed, name)
                recipe, found = ordinary(domain_of(call, slot), dtype, own), ("ordinary",)
            else:
                domain = domain_of(call, slot)
                own = derive(seed, name)
                all_of_them = assorted(domain, dtype, own) if every else None
                usual = _USUAL * (1 + len(call.spec.parameters))
                size = prod(shape) if with_special else 0
                recipe, found = all_of_them or _recipe(
                    draw, len(inputs), domain, dtype, own, size, usual
                )
            drawn.append((key, recipe))
            recipes[name] = recipe
            classes.update(dict.fromkeys((call.spec.name, "input", label) for label in found))
        nodes.append(node_of(f"n{position}", call, names))
    gradient = all(call.spec.differentiable for call in calls) and any(
        item.dtype.startswith("float") for item in inputs.values()
    )
    gradient |= all(call.spec.differentiable and call.spec.weights for call in calls)
    # Whether an invalid value is accepted shows before any gradient.
    gradient &= not any(call.spoilt for call in calls)
    last = nodes[-1].id
    outputs = (last, *(f"{last}:{i}" for i in range(1, len(calls[-1].outputs))))
    upstream = tuple(Uniform(derive(seed, "upstream", i), 0.5, 1.5) for i in range(len(outputs)))
    case = Case(
        graph=Graph(tuple(inputs.values()), tuple(nodes), outputs),
        inputs=recipes,
        weights=Uniform(derive(seed, "weights"), -0.5, 0.5),
        loss=Dot(upstream) if gradient else None,
        training=any(call.spec.training for call in calls) and draw.chance(_TRAINING_CHANCE),
        stage="gradient" if gradient else "forward",
    )
    return Assembled(case, tuple(classes))


def domain_of(call: Call, slot: int) -> Domain:
    """Where the numbers of a tensor of the call come from, given its parameters and shapes."""
    return call.spec.domain(slot, call.sound if call.spoilt else call.params, call.shapes)


def _elementwise(call: Call) -> bool:
    """Does each element of the result depend on one of every tensor, as far as shapes tell?"""
    along = any(item.name in ("axis", "axes", "dim") for item in call.spec.parameters)
    if along or call.spec.weights or not call.shapes or not prod(call.shapes[0]):
        return False
    try:
        return call.outputs == (np.broadcast_shapes(*call.shapes),)
    except ValueError:
        return False


def _recipe(
    draw: Draw, place: int, domain: Domain, dtype: str, seed: int, size: int, usual: int
) -> tuple[Recipe, tuple[str, ...]]:
    classes = value_classes(domain, dtype)
    ordinarily = ("",) * max(1, min(len(classes), usual))
    first = draw.in_turn(f"values {place}", (*classes, *ordinarily)) if size else ""
    if first:
        return special(draw, domain, dtype, seed, size, first)
    return ordinary(domain, dtype, seed), ("ordinary",)


def node_of(node_id: str, call: Call, names: Sequence[str]) -> Node:
    """The call as a node that reads these tensors."""
    spec = call.spec
    keywords = [spec.tensor(slot).keyword for slot in call.slots]
    positional = tuple(name for name, key in zip(names, keywords, strict=True) if not key)
    of_call = {item.name for item in spec.parameters if item.argument}
    arguments: dict[str, Any] = {key: call.params[key] for key in call.params if key in of_call}
    for key in dict.fromkeys(filter(None, keywords)):
        tensors = [
            {"$tensor": name} for name, own in zip(names, keywords, strict=True) if own == key
        ]
        arguments[key] = tensors[0] if len(tensors) == 1 else tensors
    return Node(
        id=node_id,
        op=spec.name,
        inputs=_lists(positional, spec.grouped) if spec.grouped else positional,
        params={key: value for key, value in call.params.items() if key not in of_call},
        arguments=arguments,
    )


def _lists(names: Sequence[str], count: int) -> tuple[tuple[str, ...], ...]:
    """The names as that many lists of equal length."""
    length = len(names) // count
    return tuple(tuple(names[i * length : (i + 1) * length]) for i in range(count))
