"""Two targets differ, and no layer does by itself: which part of the model is left?

Between the layers, before the first or after the last: somebody does not hand on what a layer
gave. The model is watched while it runs as a whole, where it can be; else what it gives as a
whole is held against what its layers give when they are shown.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from assay.gaps import gap
from assay.ir import Array
from assay.ir.check import ModelSpec, Outside

#: By how much of its largest element a tensor may change between two layers: eight ULP.
HANDED_ON = 2.0**-20


class Seen(msgspec.Struct, frozen=True):
    """What layers read (by layer, in the order of its inputs) and gave (by tensor) while a
    model ran as a whole, and the model's outputs.
    """

    read: Mapping[str, Sequence[Array]]
    gave: Mapping[str, Array]
    outputs: Sequence[Array]


class Models(Protocol):
    """A model that several targets hold, and that can be watched."""

    @property
    def specs(self) -> Mapping[str, ModelSpec]:
        """The model as each target sees it."""
        ...

    def predict_on(self, target: str, inputs: Sequence[Array]) -> list[Array] | None:
        """The outputs of one target, None if it fails."""
        ...

    def seen(self, target: str, inputs: Sequence[Array]) -> Seen | None:
        """What a target's layers hand on while the model runs as a whole; None if unknown."""
        ...

    def states(self, target: str, instance: int, inputs: Sequence[Array]) -> Mapping[str, Array]:
        """Every tensor of the model by name for one instance; empty if the target fails."""
        ...


class Referee(Protocol):
    """Says what differences between two answers mean."""

    def exceeds(self, one: Array, two: Array) -> bool:
        """Are the answers further apart than the screen allows?"""
        ...


def outside(
    models: Models,
    referee: Referee,
    pair: tuple[str, str],
    instance: int,
    inputs: Sequence[Array],
) -> Outside | None:
    """What is left of the model for one instance; None if neither target shows it."""
    places = {name: _place(models, referee, name, instance, inputs) for name in pair}
    found = {name: f"on {name}, {place}" for name, place in places.items() if place}
    if found:
        return Outside("; ".join(found.values()), tuple(found) if len(found) == 1 else ())
    return None


def _place(
    models: Models, referee: Referee, target: str, instance: int, inputs: Sequence[Array]
) -> str:
    """Where a target does not hand on what its own layers gave; empty if that is nowhere."""
    spec = models.specs[target]
    shown = models.states(target, instance, inputs)
    makers = {tensor: layer.name for layer in spec.layers for tensor in layer.outputs}
    seen = models.seen(target, inputs)
    if seen is None and spec.coarse:
        return ""  # a runtime may round otherwise when it shows its layers, and both is right
    if seen is None:
        return _as_a_whole(models, referee, target, inputs, shown)
    handed = {**shown, **seen.gave}
    for layer in spec.layers:
        for tensor, array in zip(layer.inputs, seen.read.get(layer.name, ()), strict=False):
            if tensor not in handed or _same(handed[tensor], array):
                continue
            if tensor in makers:
                return f"between {makers[tensor]} and {layer.name}, which reads something else"
            return f"before {layer.name}, which does not read the model's input {tensor}"
    for output, array in zip(spec.outputs, seen.outputs, strict=False):
        if output.name in handed and not _same(handed[output.name], array):
            last = makers.get(output.name, output.name)
            return f"after {last}: the model's output is not what that layer gave"
    return ""


def _same(given: Array, read: Array) -> bool:
    """Is it what was given? A tensor is handed on as it is, or in another format."""
    found = gap(given, read)
    if found is None or found.special is not None:
        return False
    return found.furthest <= HANDED_ON * found.largest


def _as_a_whole(
    models: Models,
    referee: Referee,
    target: str,
    inputs: Sequence[Array],
    shown: Mapping[str, Array],
) -> str:
    outputs = models.predict_on(target, inputs) or []
    names = [item.name for item in models.specs[target].outputs]
    for name, array in zip(names, outputs, strict=False):
        if name in shown and referee.exceeds(shown[name], array):
            return (
                f"the whole model's output {name} is not what its layers give when shown: "
                "before the first, after the last, or in how it is compiled as a whole"
            )
    return ""
