"""A node of a graph as a call of its spec: which tensor is which input, and is it valid?"""

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.ir import Case, Node, is_tensor
from assay.ops._base import REAL, Context, Domain, Invalid, OpSpec, Parameter, Shape, Shapes
from assay.ops._draw import Draw

Vocabulary = Mapping[str, OpSpec]
#: What a rule raises for a call that it does not know. Rules are written for the parameters
#: that specs draw: other forms, and deliberately invalid values, may be beyond them.
UNKNOWN_CALL = (Invalid, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)


class Placed(msgspec.Struct, frozen=True):
    """The tensors a node reads, in the order of its spec, and their positions in it."""

    spec: OpSpec
    params: dict[str, Any]
    tensors: tuple[str, ...]
    slots: tuple[int, ...]


def placed(spec: OpSpec, node: Node) -> Placed:
    """The node's tensors by their position in the spec; ``Invalid`` if they do not fit."""
    positional = [
        name for item in node.inputs for name in ([item] if isinstance(item, str) else item)
    ]
    keywords = {key: _tensors(value) for key, value in node.arguments.items()}
    named = {key: names for key, names in keywords.items() if names}
    tensors: list[str] = []
    slots: list[int] = []
    slot = 0
    while positional or any(named.values()):
        if slot > len(spec.tensors) + len(positional) + len(tensors):
            raise Invalid(f"{spec.name} has no place for {positional or named}")
        keyword = spec.tensor(slot).keyword if spec.tensors else ""
        waiting = named.get(keyword, []) if keyword else positional
        if waiting:
            tensors.append(waiting.pop(0))
            slots.append(slot)
        slot += 1
    constants = {key: value for key, value in node.arguments.items() if not keywords[key]}
    params = {key: _as_given(value) for key, value in {**node.params, **constants}.items()}
    return Placed(spec, params, tuple(tensors), tuple(slots))


def _as_given(value: Any) -> Any:
    """A parameter as the library gets it: records keep tuples as lists."""
    return tuple(_as_given(item) for item in value) if isinstance(value, list) else value


def _tensors(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [item["$tensor"] for item in items if is_tensor(item)]


def shapes_of(case: Case, vocabulary: Vocabulary, spoilt: str = "") -> dict[str, Shape]:
    """The shape of every tensor of a case, as the specs have it; ``Invalid`` if one says no.

    Ops that the vocabulary does not know end it: what comes after them has no
    shape here. The parameter ``spoilt`` is deliberately invalid: the call must be
    valid with some other value of it.
    """
    shapes: dict[str, Shape] = {item.name: tuple(item.shape) for item in case.graph.inputs}
    dtypes = {item.name: item.dtype for item in case.graph.inputs}
    for node in case.graph.nodes:
        spec = vocabulary.get(node.op)
        if spec is None or any(name not in shapes for name in node.tensors()):
            continue
        call = placed(spec, node)
        given = tuple(shapes[name] for name in call.tensors)
        _check_tensors(call, given, dtypes)
        outputs = _outputs(call, given, spoilt if spoilt in call.params else "")
        shapes.update({f"{node.id}:{place}": shape for place, shape in enumerate(outputs)})
        shapes.update({node.id: outputs[0]} if outputs else {})
    return shapes


def domains_of(case: Case, vocabulary: Vocabulary) -> list[tuple[str, str, Domain]]:
    """The op, the name and the domain of every tensor that goes into a call which is known."""
    try:
        shapes = shapes_of(case, vocabulary)
    except UNKNOWN_CALL:
        return []
    found = []
    for node in case.graph.nodes:
        spec = vocabulary.get(node.op)
        if spec is None or any(name not in shapes for name in node.tensors()):
            continue
        call = placed(spec, node)
        given = tuple(shapes[name] for name in call.tensors)
        for slot, name in zip(call.slots, call.tensors, strict=True):
            found.append((node.op, name, spec.domain(slot, call.params, given)))
    return found


def _check_tensors(call: Placed, shapes: Shapes, dtypes: Mapping[str, str]) -> None:
    for slot, name, shape in zip(call.slots, call.tensors, shapes, strict=True):
        tensor = call.spec.tensor(slot)
        if slot == 0 and len(shape) not in tensor.ranks:
            raise Invalid(f"rank {len(shape)}")
        if slot == 0 and tensor.fit is not None and tensor.fit(Draw(0), shape) != shape:
            raise Invalid(f"shape {shape}")
        if name in dtypes and dtypes[name] not in tensor.dtypes:
            raise Invalid(f"dtype {dtypes[name]}")


def _outputs(call: Placed, shapes: Shapes, spoilt: str) -> Shapes:
    if not spoilt:
        return call.spec.output_shapes(call.params, shapes)
    others = {name: value for name, value in call.params.items() if name != spoilt}
    described = next(item for item in call.spec.parameters if item.name == spoilt)
    attempts = []
    for choice in described.valid:
        try:
            value = choice.draw(Context(Draw(0), shapes, call.spec.complete(others), call.slots))
        except UNKNOWN_CALL:
            continue
        attempts.append({**others, spoilt: value})
    if not described.required:
        attempts.insert(0, others)
    for params in attempts:
        try:
            return call.spec.output_shapes(params, shapes)
        except UNKNOWN_CALL:
            continue
    raise Invalid(f"{call.spec.name} has no valid {spoilt} here")


def valid_values(
    case: Case, node: Node, described: Parameter, vocabulary: Vocabulary, spoilt: str = ""
) -> list[Any]:
    """The values that the spec offers for a parameter in this call, each once.

    The usual ones come first, then those at an edge. Whether they go together with
    the other parameters, the shape rule decides.
    """
    spec = vocabulary[node.op]
    choices = (*described.valid, *described.boundary)
    try:
        shapes = shapes_of(case, vocabulary, spoilt)
        call = placed(spec, node)
        given = tuple(shapes[name] for name in call.tensors)
    except UNKNOWN_CALL:
        # What depends on its shapes is not known either.
        return [choice.value for choice in choices if choice.make is None]
    others = {key: value for key, value in call.params.items() if key != described.name}
    context = Context(Draw(0), given, spec.complete(others), call.slots)
    found: dict[str, Any] = {}
    for choice in choices:
        try:
            value = choice.draw(context)
        except UNKNOWN_CALL:  # beside a parameter that is deliberately invalid
            continue
        found.setdefault(repr(value), value)
    return list(found.values())


def domain_in(case: Case, name: str, vocabulary: Vocabulary, spoilt: str = "") -> Domain:
    """Where the elements of an input may come from: what its only reader's spec says."""
    readers = [node for node in case.graph.nodes if name in node.tensors()]
    spec = vocabulary.get(readers[0].op) if len(readers) == 1 else None
    if spec is None:
        return REAL
    try:
        shapes = shapes_of(case, vocabulary, spoilt)
        call = placed(spec, readers[0])
        given = tuple(shapes[tensor] for tensor in call.tensors)
        slot = call.slots[call.tensors.index(name)]
        return spec.domain(slot, call.params, given)
    except UNKNOWN_CALL:
        # Not known what is legal: nothing but what is there already.
        return Domain(low=0.0, high=-1.0, special=False)
