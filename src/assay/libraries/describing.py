"""The spec of a word, made from that of the shared op it means."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from assay.libraries.word import Word
from assay.ops import (
    Choice,
    Context,
    Draw,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)

Item = TypeVar("Item")


def described(word: Word, shared: OpSpec) -> OpSpec:
    """What is true of the shared op, under the names of the word.

    Deliberately invalid values are left out: what must be refused is each library's own
    business.
    """
    if word.spec is not None:
        return word.spec
    own = {theirs: name for name, theirs in word.parameters.items()}
    tensors = [tensor for tensor in shared.tensors if not tensor.keyword]
    if word.labels_last:  # both have one shape, and labels the fewer ranks
        tensors[1] = msgspec.structs.replace(tensors[1], ranks=tensors[0].ranks)
    return msgspec.structs.replace(
        shared,
        name=word.name,
        differentiable=shared.differentiable and word.differentiable,
        rule=_rule(word, shared),
        tensors=tuple(_tensor(word, tensor) for tensor in in_order(word, tensors)),
        companions=_alike if word.labels_last else shared.companions,
        parameters=(
            *(
                _parameter(word, own[item.name], item)
                for item in shared.parameters
                if item.name in own
            ),
            *(parameter(name, valid=(value,)) for name, value in word.given.items()),
        ),
        relations={name: _shared_first(word, holds) for name, holds in shared.relations.items()},
    )


def shared_params(word: Word, params: Params) -> dict[str, Any]:
    """Parameters under their shared names; what the word always says is not among them."""
    complete = {**word.defaults, **params}
    return {
        **word.implied,
        **{own: complete[name] for name, own in word.parameters.items() if name in complete},
    }


def in_order(word: Word, tensors: Sequence[Item]) -> tuple[Item, ...]:
    """What belongs to the word's tensors in the order of the shared op's, or the reverse."""
    return (tensors[1], tensors[0]) if word.labels_last else tuple(tensors)


def _alike(draw: Draw, first: Shape) -> Shapes:
    return (first,)


def _rule(word: Word, shared: OpSpec) -> Callable[[Params, Shapes], Shapes]:
    def rule(params: Params, shapes: Shapes) -> Shapes:
        if any(len(shape) < word.least_rank for shape in shapes):
            raise Invalid(f"rank below {word.least_rank}")
        if word.tensors and len(shapes) != word.tensors:
            raise Invalid(f"{len(shapes)} tensors")
        for name in word.always:
            if params.get(name) is None:
                raise Invalid(f"{name} must be said")
        for name in word.single:
            if isinstance(params.get(name), (tuple, list)):
                raise Invalid(f"{name} is one number")
        if word.labels_last and shapes[0] != shapes[1]:
            raise Invalid("labels of another shape")
        return shared.rule(shared.complete(shared_params(word, params)), in_order(word, shapes))

    return rule


def _shared_first(word: Word, function: Callable[[Params, Shapes], Any]) -> Any:
    return lambda params, shapes: function(shared_params(word, params), in_order(word, shapes))


def _tensor(word: Word, tensor: Tensor) -> Tensor:
    dtypes = tuple(name for name in tensor.dtypes if name in word.dtypes)
    if "float32" not in tensor.dtypes:  # ids and masks are what they are
        dtypes = tuple(name for name in tensor.dtypes if name in ("int32", "bool"))
    changed: dict[str, Any] = {"dtypes": dtypes or tensor.dtypes[:1], "optional": False}
    changed["mixed"] = False
    if tensor.limits is not None:
        changed["limits"] = _shared_first(word, tensor.limits)
    if tensor.domain_for is not None:
        changed["domain_for"] = _shared_first(word, tensor.domain_for)
    return msgspec.structs.replace(tensor, **changed)


def _parameter(word: Word, name: str, shared: Parameter) -> Parameter:
    choices: Mapping[str, Any] = {
        kind: tuple(_choice(word, name, item) for item in getattr(shared, kind))
        for kind in ("valid", "boundary")
    }
    return msgspec.structs.replace(
        shared,
        name=name,
        invalid=(),
        argument=False,
        required=shared.required or name in word.always,
        default=word.defaults.get(name, shared.default),
        **choices,
    )


def _choice(word: Word, name: str, choice: Choice) -> Choice:
    make = choice.make
    if make is None:
        return msgspec.structs.replace(choice, value=own_value(word, name, choice.value))

    def made(context: Context) -> Any:
        value = make(context._replace(params=shared_params(word, context.params)))
        return own_value(word, name, value)

    return msgspec.structs.replace(choice, make=made)


def own_value(word: Word, name: str, value: Any) -> Any:
    """A parameter's value as the word takes it."""
    return (value,) if name in word.listed and isinstance(value, int) else value
