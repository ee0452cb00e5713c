"""From which layer on do two files differ that hold the same model?

Their layers have other names, other layouts, and may be fused. So the tensors that one file
computes are looked for among those of the other: among those whose names tell of the layer, else
among all of that size. A layer whose output is found is the same in both; so is one whose output
is not, if all that reads it is (it was fused away).
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np

from assay.gaps import real
from assay.ir import Array
from assay.ir.check import LayerSpec, LocalizationMap, Located, ModelSpec, Suspect
from assay.localize.growth import growth

#: How many tensors of that size are compared element by element: the ones with the nearest mean,
#: spread and largest value.
_NEAREST = 4
#: A layer adds something if its output deviates so many times as much as what it reads.
_ADDS = 3.0


class Models(Protocol):
    """Arms that can be opened."""

    @property
    def specs(self) -> Mapping[str, ModelSpec]:
        """The model as each arm sees it."""
        ...

    def states(self, target: str, instance: int, inputs: Sequence[Array]) -> Mapping[str, Array]:
        """Every tensor of an arm's model by name; empty if it cannot be opened."""
        ...


class Referee(Protocol):
    """Says what differences between two answers mean."""

    def exceeds(self, one: Array, two: Array) -> bool:
        """Are the answers further apart than the screen allows?"""
        ...


class _Found(msgspec.Struct, frozen=True):
    """The nearest tensor of the other file, and how far it is, of the largest element."""

    array: Array
    relative: float
    agrees: bool


def locate_across(
    models: Models,
    referee: Referee,
    pair: tuple[str, str],
    instance: int,
    inputs: Sequence[Array],
) -> Located:
    """The first layer of the first arm whose output the second does not have, for one instance."""
    own, other = (models.states(name, instance, inputs) for name in pair)
    first, second = (models.specs[name] for name in pair)
    computed = {name for layer in second.layers for name in layer.outputs} & set(other)
    if not own or not computed:
        return Located(None, None, None, False)
    candidates = {name: other[name] for name in computed}
    found = {
        name: nearest
        for layer in first.layers
        for name in layer.outputs
        if name in own
        and (nearest := _nearest(referee, layer.name, own[name], candidates)) is not None
    }
    cleared = _cleared(first, found)
    kept = [layer for layer in first.layers if not cleared[layer.name]]
    suspects = [layer for layer in kept if any(name in found for name in layer.outputs)]
    layer = next((item for item in suspects if _adds(item, found)), next(iter(suspects), None))
    if layer is None:
        return Located(None, None, None, False)
    hidden = {name for item in first.layers if cleared[item.name] for name in item.outputs}
    shown_by = {n: f.array for n, f in found.items() if f.agrees or n not in hidden}
    deviations = growth(first.layers, own, shown_by)
    before = first.layers[: first.layers.index(layer)]
    same = [item for item in before if any(found[n].agrees for n in item.outputs if n in found)]
    shown = next((item for item in deviations if item.layer == layer.name), None)
    suspect = Suspect(
        layer=layer.name,
        op=layer.op,
        rate=shown.rate if shown else float("inf"),
        layers_before=len(before),
        reason=_reason(len(same), len(before), pair[1]),
    )
    return Located(suspect, None, LocalizationMap(pair, instance, layer.name, deviations), False)


def _reason(same: int, before: int, other: str) -> str:
    if not before:
        return f"the output of the first layer is not found in {other}"
    layers = "layer" if before == 1 else "layers"
    return f"{same} of {before} {layers} before it are found again in {other}, this one is not"


def _nearest(
    referee: Referee, layer: str, array: Array, candidates: Mapping[str, Array]
) -> _Found | None:
    """The tensor that is most like this one, with its axes in the same order."""
    turned = [
        (name, item)
        for name, candidate in candidates.items()
        if candidate.size == array.size and candidate.dtype.kind == array.dtype.kind
        for item in _layouts(candidate, array.shape)
    ]
    named = [item for name, item in turned if tells_of(name, layer)]
    arrays = named or [item for _, item in turned]
    mark = _mark(array)
    arrays = sorted(arrays, key=lambda item: _distance(mark, _mark(item)))[:_NEAREST]
    found = [
        _Found(item, _relative(array, item), not referee.exceeds(array, item)) for item in arrays
    ]
    return min(found, key=lambda item: (not item.agrees, item.relative), default=None)


def tells_of(name: str, layer: str) -> bool:
    """Is the layer's name a part of a tensor's, as in ``model/conv1/Conv2D:0``?"""
    parts = name.replace(";", "/").replace(":", "/").split("/")
    wanted = layer.split("/")
    size = len(wanted)
    return any(parts[place : place + size] == wanted for place in range(len(parts) - size + 1))


def _layouts(array: Array, shape: tuple[int, ...]) -> list[Array]:
    """The array in that shape: as it is, or with its channels first or last; axes of size 1 do
    not count.
    """
    squeezed = tuple(size for size in shape if size != 1)
    orders = [array]
    if array.ndim >= 3:
        orders += [np.moveaxis(array, 1, -1), np.moveaxis(array, -1, 1)]
    fitting = [item for item in orders if tuple(n for n in item.shape if n != 1) == squeezed]
    return [item.reshape(shape) for item in fitting]


def _mark(array: Array) -> tuple[float, float, float]:
    """Numbers that do not change with the order of the elements."""
    if not array.size:
        return 0.0, 0.0, 0.0
    wide = np.nan_to_num(real(array).astype("float64"))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(wide.mean()), float(wide.std()), float(wide.max())


def _distance(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    return sum(abs(a - b) for a, b in zip(one, two, strict=True))


def _relative(one: Array, two: Array) -> float:
    if not one.size:
        return 0.0
    a, b = np.nan_to_num(one.astype("float64")), np.nan_to_num(two.astype("float64"))
    return float(np.abs(a - b).max() / max(float(np.abs(a).max()), 1e-30))


def _cleared(model: ModelSpec, found: Mapping[str, _Found]) -> dict[str, bool]:
    """Which layers are the same in both files: found again, or read only by such as are."""
    outputs = {spec.name for spec in model.outputs}
    cleared: dict[str, bool] = {}
    read: dict[str, bool] = {}  # is all that reads a tensor the same?
    for layer in reversed(model.layers):
        own = [found[name].agrees for name in layer.outputs if name in found]
        readers = [read[name] for name in layer.outputs if name in read]
        fused = bool(readers) and all(readers) and not set(layer.outputs) & outputs
        same = cleared[layer.name] = (bool(own) and all(own)) or fused
        for name in layer.inputs:
            read[name] = read.get(name, True) and same
    return cleared


def _adds(layer: LayerSpec, found: Mapping[str, _Found]) -> bool:
    """Does the layer's output deviate much more than what it reads?"""
    own = max(found[name].relative for name in layer.outputs if name in found)
    before = max((found[name].relative for name in layer.inputs if name in found), default=0.0)
    return own > _ADDS * before
