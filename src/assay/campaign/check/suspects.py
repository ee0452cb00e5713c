"""From which layer on do two targets differ? Growth of the deviation, then a retrial.

The map of deviations is CRADLE's. Past it, every layer (or, where layers are
hidden, the candidates) is run alone on both targets with identical input, so that a
deviation that only arrives at a layer is never held against it.
"""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from assay.campaign.check.models import Models
from assay.gaps import gap, peak
from assay.ir import Array
from assay.ir.check import LayerDeviation, LayerSpec, LocalizationMap, Suspect
from assay.ir.transform import nudged_arrays
from assay.judge import distances
from assay.judge.compare import difference
from assay.judge.rounding import NUDGES, sensitivity
from assay.judge.voting import camps_of, vote
from assay.localize.growth import first_highlighted, growth
from assay.targets import REFERENCE

#: How many layers of a model that hides them are compiled alone.
CANDIDATES = 8
#: How many layers that differ alone are examined for rounding before the first is taken.
_EXAMINED = 12


class Located(msgspec.Struct, frozen=True):
    """What was found: the suspect, if one layer differs beyond rounding by itself.

    ``complete``: every layer was run alone, so that if there is no suspect, no layer
    differs by itself.
    """

    suspect: Suspect | None
    by_growth: LayerDeviation | None
    map: LocalizationMap | None
    complete: bool


def locate(
    models: Models, pair: tuple[str, str], instance: int, inputs: Sequence[Array]
) -> Located:
    """The layer from which on a pair differs, for one instance."""
    first, second = _base_first(models, pair)
    layers = models.specs[first].layers
    own, other = (models.states(name, instance, inputs) for name in (first, second))
    if not own:
        return Located(None, None, None, False)
    deviations = growth(layers, own, other) if other else ()
    candidates = _candidates(models, second, layers, deviations, own)
    alone = models.alone([second], candidates, own)[second]
    if models.hides_layers(first):
        # What its opened model gives is not what the layer alone gives.
        own = {**own, **models.alone([first], candidates, own)[first]}
    differing = [layer for layer in candidates if _exceeds(layer, own, alone)]
    tried = {layer.name: _largest(layer, own, alone) for layer in candidates}
    deviations = tuple(
        msgspec.structs.replace(item, alone=tried.get(item.layer)) for item in deviations
    )
    suspect = None
    for layer in differing[:_EXAMINED]:
        if not _rounding(models, first, layer, own, alone):
            suspect = _suspect(models, pair, layer, own, alone, deviations, layers)
            break
    complete = len(candidates) == len(layers) and all(
        name in alone for layer in layers for name in layer.outputs
    )
    growing = first_highlighted(deviations)
    name = suspect.layer if suspect else (growing.layer if growing else "")
    shown = LocalizationMap(pair, instance, name, deviations) if deviations else None
    return Located(suspect, growing, shown, complete)


def _base_first(models: Models, pair: tuple[str, str]) -> tuple[str, str]:
    """The target whose states are the common input first: one that shows its layers."""
    first, second = pair
    if models.hides_layers(first) and not models.hides_layers(second):
        return second, first
    return first, second


def _candidates(
    models: Models,
    target: str,
    layers: Sequence[LayerSpec],
    deviations: Sequence[LayerDeviation],
    own: Mapping[str, Array],
) -> list[LayerSpec]:
    """The layers to run alone: all whose inputs are known, or the likeliest few."""
    known = [layer for layer in layers if all(name in own for name in layer.inputs)]
    if not models.hides_layers(target):
        return known
    likely = sorted(deviations, key=lambda item: -item.rate)[:CANDIDATES]
    names = {item.layer for item in likely}
    growing = first_highlighted(deviations)
    if growing is not None:
        names.add(growing.layer)
    return [layer for layer in known if layer.name in names]


def _exceeds(layer: LayerSpec, own: Mapping[str, Array], alone: Mapping[str, Array]) -> bool:
    return any(
        own[name].shape != alone[name].shape
        or (own[name].size and bool(_measures(own[name], alone[name]).exceeds.any()))
        for name in layer.outputs
        if name in own and name in alone
    )


def _measures(one: Array, two: Array) -> distances.Measures:
    return distances.measures(one.reshape(1, -1), two.reshape(1, -1))


def _largest(
    layer: LayerSpec, own: Mapping[str, Array], alone: Mapping[str, Array]
) -> float | None:
    shown = [name for name in layer.outputs if name in own and name in alone]
    if not shown:
        return None
    if any(own[name].shape != alone[name].shape for name in shown):
        return float("inf")
    return max(
        float(_measures(own[name], alone[name]).max_abs[0]) if own[name].size else 0.0
        for name in shown
    )


def _rounding(
    models: Models,
    target: str,
    layer: LayerSpec,
    own: Mapping[str, Array],
    alone: Mapping[str, Array],
) -> bool:
    """Does the layer's output move as much when its input moves by one ULP?"""
    given = {name: own[name] for name in layer.inputs}
    masks = {name: own[name] for name in own if name.removeprefix("mask of ") in given}
    if any(own[name].shape != alone[name].shape for name in layer.outputs if name in alone):
        return False
    moved = [
        models.alone([target], [layer], {**masks, **nudged})[target]
        for nudged in nudged_arrays(given, NUDGES)
    ]
    for name in layer.outputs:
        if name not in alone:
            continue
        if own[name].dtype.kind != "f":
            if not np.array_equal(own[name], alone[name]):
                return False
            continue
        found = gap(own[name], alone[name])
        moves = [item[name] for item in moved if name in item]
        if found is None or not moves:
            return False
        position = peak(found.distance)
        furthest = float(found.distance[position])
        if not sensitivity(own[name], moves).explains(furthest, position):
            return False
    return True


def _suspect(
    models: Models,
    pair: tuple[str, str],
    layer: LayerSpec,
    own: Mapping[str, Array],
    alone: Mapping[str, Array],
    deviations: Sequence[LayerDeviation],
    layers: Sequence[LayerSpec],
) -> Suspect:
    """The layer, and who is to blame: one vote per implementation, and the reference."""
    output = next(name for name in layer.outputs if name in alone)
    answers: dict[str, Array] = {}
    visible = [n for n in models.names if n in pair or not models.hides_layers(n)]
    for name, arrays in models.alone(visible, [layer], own).items():
        if output in arrays:
            answers[name] = arrays[output]
    keras = [n for n in models.names if not models.hides_layers(n)]
    if keras and layer.op.startswith("keras."):
        truth = models.reference(keras[0], layer, own).get(output)
        if truth is not None and truth.shape == own[output].shape:
            answers[REFERENCE.name] = truth.astype(own[output].dtype)
    camps = camps_of(list(answers.items()), _agree)
    ballot = vote(camps, layer.op, models.votes)
    names = [item.name for item in layers]
    place = names.index(layer.name)
    before = [item.alone for item in deviations if names.index(item.layer) < place and item.alone]
    own_deviation = next((item for item in deviations if item.layer == layer.name), None)
    return Suspect(
        layer=layer.name,
        op=layer.op,
        rate=own_deviation.rate if own_deviation else float("inf"),
        alone=_largest(layer, own, alone) or 0.0,
        before=max(before, default=0.0),
        layers_before=place,
        blamed=ballot.blamed if len(camps) > 1 else (),
        reason=ballot.reason if len(camps) > 1 else "",
    )


def _agree(one: Array, two: Array) -> bool:
    if one.shape != two.shape or one.dtype.kind not in "f":
        return difference(one, two) is None
    return not one.size or not bool(_measures(one, two).exceeds.any())
