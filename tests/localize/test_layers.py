"""The layer that differs by itself is named, also if its difference is small but no rounding."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.ir import Array
from assay.ir.check import LayerSpec, ModelSpec
from assay.judge.models.referee import LayerReferee
from assay.localize.layers import locate

ROWS = np.random.default_rng(1).normal(size=(1, 50)).astype("float32")
LAYERS = (LayerSpec("a", "keras.ops.tanh", ("x",), ("a",)), LayerSpec("b", "b", ("a",), ("b",)))


class Two:
    """Two layers on two targets; the second target's ``b`` is wrong by a share."""

    names = ("good", "bad")

    def __init__(self, share: float) -> None:
        self.share = share
        spec = ModelSpec((), (), LAYERS, 0, "")
        self.specs = dict.fromkeys(self.names, spec)

    def hides_layers(self, target: str) -> bool:
        return False

    def states(self, target: str, instance: int, inputs: Sequence[Array]) -> Mapping[str, Array]:
        arrays = {"x": inputs[0]}
        for layer in LAYERS:
            arrays |= self.alone([target], [layer], arrays)[target]
        return arrays

    def alone(
        self, targets: Sequence[str], layers: Sequence[LayerSpec], arrays: Mapping[str, Array]
    ) -> Mapping[str, Mapping[str, Array]]:
        return {
            target: {layer.name: self._run(target, layer, arrays) for layer in layers}
            for target in targets
        }

    def _run(self, target: str, layer: LayerSpec, arrays: Mapping[str, Array]) -> Array:
        if layer.name == "a":
            return np.tanh(arrays["x"])
        wrong = 1 + self.share if target == "bad" else 1
        return (2 * arrays["a"] * wrong).astype("float32")

    def reference(
        self, target: str, layer: LayerSpec, arrays: Mapping[str, Array]
    ) -> Mapping[str, Array]:
        return {}


def suspect(share: float, thorough: bool) -> str:
    models = Two(share)
    referee = LayerReferee(lambda target, op: target)
    found = locate(models, referee, models.names, 0, [ROWS], thorough)
    return found.suspect.layer if found.suspect else ""


def test_a_difference_past_the_screen_is_found() -> None:
    assert suspect(1e-2, thorough=False) == "b"


def test_a_small_difference_is_found_if_it_is_looked_for() -> None:
    assert suspect(5e-5, thorough=False) == ""
    assert suspect(5e-5, thorough=True) == "b"


def test_rounding_is_no_suspect_however_one_looks() -> None:
    assert suspect(1e-7, thorough=True) == ""
