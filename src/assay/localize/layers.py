"""From which layer on do two targets differ? Growth of the deviation, then a retrial.

The map of deviations is CRADLE's. Past it, every layer (or, where layers are
hidden, the candidates) is run alone on both targets with identical input, so that a
deviation that only arrives at a layer is never held against it.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from assay.ir import Array
from assay.ir.check import (
    LayerDeviation,
    LayerSpec,
    LocalizationMap,
    Located,
    ModelSpec,
    Suspect,
)
from assay.localize.growth import first_highlighted, growth

#: How many layers of a model that hides them are compiled alone.
CANDIDATES = 8
#: How many layers that differ alone are examined for rounding before the first is taken.
_EXAMINED = 12


class Models(Protocol):
    """A model that several targets hold, and that can be opened."""

    @property
    def names(self) -> tuple[str, ...]:
        """The targets that hold the model, in order."""
        ...

    @property
    def specs(self) -> Mapping[str, ModelSpec]:
        """The model as each target sees it."""
        ...

    def hides_layers(self, target: str) -> bool:
        """Must the model be compiled again to see inside?"""
        ...

    def states(self, target: str, instance: int, inputs: Sequence[Array]) -> Mapping[str, Array]:
        """Every tensor of the model by name for one instance; empty if the target fails."""
        ...

    def alone(
        self, targets: Sequence[str], layers: Sequence[LayerSpec], arrays: Mapping[str, Array]
    ) -> Mapping[str, Mapping[str, Array]]:
        """Each of these layers alone on exactly these arrays, on several targets."""
        ...

    def reference(
        self, target: str, layer: LayerSpec, arrays: Mapping[str, Array]
    ) -> Mapping[str, Array]:
        """What the float64 reference says of a layer alone; empty if it claims nothing."""
        ...


class Referee(Protocol):
    """Says what differences between two answers mean."""

    def exceeds(self, one: Array, two: Array) -> bool:
        """Are the answers further apart than the screen allows?"""
        ...

    def apart(self, one: Array, two: Array) -> float:
        """The largest difference of two elements."""
        ...

    def nudged(self, arrays: Mapping[str, Array]) -> Sequence[Mapping[str, Array]]:
        """The arrays, several times, with every element moved by about one ULP."""
        ...

    def rounding(self, one: Array, two: Array, moved: Sequence[Array]) -> bool:
        """Does ``one`` move to ``moved`` as far as ``two`` is from it?"""
        ...

    def blame(
        self, answers: Mapping[str, Array], truth: Array | None, op: str
    ) -> tuple[tuple[str, ...], str]:
        """Who is wrong, by each target's answer and the reference's, and why we say so."""
        ...


def locate(
    models: Models,
    referee: Referee,
    pair: tuple[str, str],
    instance: int,
    inputs: Sequence[Array],
    thorough: bool = False,
) -> Located:
    """The layer from which on a pair differs, for one instance.

    ``thorough``: layers that differ most alone are examined for rounding also if they do not
    differ past the screen. For outputs that rounding does not explain.
    """
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
    differing = [layer for layer in candidates if _exceeds(referee, layer, own, alone)]
    if thorough and not differing:
        by_size = sorted(candidates, key=lambda layer: -_relative(referee, layer, own, alone))
        differing = [layer for layer in candidates if layer in by_size[:CANDIDATES]]
    tried = {layer.name: _largest(referee, layer, own, alone) for layer in candidates}
    deviations = tuple(
        msgspec.structs.replace(item, alone=tried.get(item.layer)) for item in deviations
    )
    suspect = None
    for layer in differing[:_EXAMINED]:
        # Whoever is wrong may jump where the other does not: rounding must explain it on both.
        sides = [(first, own, alone), (second, alone, own)]
        asked = sides[:1] if models.hides_layers(second) else sides
        if not all(_rounding(models, referee, layer, own, *side) for side in asked):
            suspect = _suspect(models, referee, pair, layers, layer, own, alone, deviations)
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


def _shown(
    layer: LayerSpec, own: Mapping[str, Array], alone: Mapping[str, Array]
) -> list[tuple[Array, Array]]:
    """The outputs of a layer that both sides show."""
    return [(own[name], alone[name]) for name in layer.outputs if name in own and name in alone]


def _exceeds(
    referee: Referee, layer: LayerSpec, own: Mapping[str, Array], alone: Mapping[str, Array]
) -> bool:
    return any(referee.exceeds(one, two) for one, two in _shown(layer, own, alone))


def _largest(
    referee: Referee, layer: LayerSpec, own: Mapping[str, Array], alone: Mapping[str, Array]
) -> float | None:
    return max((referee.apart(one, two) for one, two in _shown(layer, own, alone)), default=None)


def _relative(
    referee: Referee, layer: LayerSpec, own: Mapping[str, Array], alone: Mapping[str, Array]
) -> float:
    """The largest difference beside the largest element."""
    shown = _shown(layer, own, alone)
    size = max(
        (float(abs(one).max(initial=0)) for one, _ in shown if one.dtype.kind == "f"), default=0
    )
    return (_largest(referee, layer, own, alone) or 0.0) / size if size else 0.0


def _rounding(
    models: Models,
    referee: Referee,
    layer: LayerSpec,
    own: Mapping[str, Array],
    target: str,
    base: Mapping[str, Array],
    other: Mapping[str, Array],
) -> bool:
    """Does the target's output move to the other's when the layer's input moves by one ULP?"""
    given = {name: own[name] for name in layer.inputs}
    masks = {name: own[name] for name in own if name.removeprefix("mask of ") in given}
    shown = [name for name in layer.outputs if name in base and name in other]
    if any(base[name].shape != other[name].shape for name in shown):
        return False
    moved = [
        models.alone([target], [layer], {**masks, **nudged})[target]
        for nudged in referee.nudged(given)
    ]
    return all(
        referee.rounding(base[name], other[name], [item[name] for item in moved if name in item])
        for name in shown
    )


def _suspect(
    models: Models,
    referee: Referee,
    pair: tuple[str, str],
    layers: Sequence[LayerSpec],
    layer: LayerSpec,
    own: Mapping[str, Array],
    alone: Mapping[str, Array],
    deviations: Sequence[LayerDeviation],
) -> Suspect:
    """The layer, and who is to blame: it runs alone on all targets, and on the reference."""
    output = next(name for name in layer.outputs if name in alone)
    visible = [n for n in models.names if n in pair or not models.hides_layers(n)]
    answers = {
        name: arrays[output]
        for name, arrays in models.alone(visible, [layer], own).items()
        if output in arrays
    }
    keras = [n for n in models.names if not models.hides_layers(n)]
    truth = None
    if keras and layer.op.startswith("keras."):
        truth = models.reference(keras[0], layer, own).get(output)
    if truth is not None and truth.shape == own[output].shape:
        truth = truth.astype(own[output].dtype)
    else:
        truth = None
    blamed, reason = referee.blame(answers, truth, layer.op)
    names = [item.name for item in layers]
    place = names.index(layer.name)
    before = [item.alone for item in deviations if names.index(item.layer) < place and item.alone]
    own_deviation = next((item for item in deviations if item.layer == layer.name), None)
    return Suspect(
        layer=layer.name,
        op=layer.op,
        rate=own_deviation.rate if own_deviation else float("inf"),
        alone=_largest(referee, layer, own, alone) or 0.0,
        before=max(before, default=0.0),
        layers_before=place,
        blamed=blamed,
        reason=reason,
    )
