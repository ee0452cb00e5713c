"""Does rounding, added up over all layers, explain how far two targets' outputs are apart?"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from assay.gaps import FLUSHED, gap
from assay.ir import Array
from assay.ir.transform import nudged_arrays
from assay.judge.rounding import GRANTED, NUDGES, sensitivity


class Models(Protocol):
    """A model that several targets hold."""

    def predict_on(self, target: str, inputs: Sequence[Array]) -> list[Array] | None:
        """The outputs of one target, None if it fails."""
        ...

    def nudged(
        self, target: str, instance: int, inputs: Sequence[Array], copies: int
    ) -> list[list[Array]]:
        """Outputs as they are, then ``copies`` times with every layer's output moved by about
        one ULP; empty if the target cannot run its layers one by one.
        """
        ...

    def hides_layers(self, target: str) -> bool:
        """Must the model be compiled again to see inside?"""
        ...


def rounding_explains(
    models: Models, pair: tuple[str, str], instance: int, inputs: Sequence[Array]
) -> bool:
    """Do the outputs move as much when every layer's output moves by one ULP?

    Where layers cannot be run one by one, the inputs are moved instead.
    """
    first, second = (models.predict_on(name, inputs) for name in pair)
    if first is None or second is None:
        return False
    copies = _copies(models, pair, instance, inputs)
    if len(copies) < 2 or len(copies[0]) != len(first) or len(first) != len(second):
        return False
    return all(
        _explained(one, two, [copy[place] for copy in copies])
        for place, (one, two) in enumerate(zip(first, second, strict=True))
    )


def _copies(
    models: Models, pair: tuple[str, str], instance: int, inputs: Sequence[Array]
) -> list[list[Array]]:
    """Outputs as they are, then moved: of the target that shows its layers, if one does."""
    target = next((name for name in pair if not models.hides_layers(name)), pair[0])
    copies = models.nudged(target, instance, inputs, NUDGES)
    if copies or not any(array.dtype.kind == "f" for array in inputs):
        return copies
    named = {str(place): array for place, array in enumerate(inputs)}
    given = [list(inputs), *(list(item.values()) for item in nudged_arrays(named, NUDGES))]
    found = [models.predict_on(target, item) for item in given]
    return [item for item in found if item is not None]


def _explained(one: Array, two: Array, copies: Sequence[Array]) -> bool:
    found = gap(one, two)
    if found is None or one.shape != copies[0].shape:
        return False
    if one.dtype.kind != "f" or not one.size:
        return bool(np.array_equal(one, two))
    apart = found.distance
    # One ULP per layer is the least that rounding does, and another sum is wrong elsewhere:
    # neither the place of the largest gap nor its exact size means anything.
    movement = sensitivity(copies[0], copies[1:]).movement
    largest = bool(apart.max() <= GRANTED * movement.max() + FLUSHED)
    return largest and bool(_typical(apart) <= GRANTED * _typical(movement) + FLUSHED)


def _typical(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))
