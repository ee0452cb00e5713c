"""What is left of a model where no layer differs by itself."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from assay.ir import Array
from assay.ir.check import LayerSpec, ModelSpec, TensorSpec
from assay.localize.outside import Seen, outside

SPEC = ModelSpec(
    inputs=(TensorSpec("x", (None, 2), "float32"),),
    outputs=(TensorSpec("dense", (None, 2), "float32"),),
    layers=(LayerSpec("dense", "litert.FULLY_CONNECTED", ("x",), ("dense",)),),
    weights=4,
    digest="",
)
X = np.ones((1, 2), "float32")


class Held:
    """Two targets; the first gives another answer as a whole than its layers when shown."""

    def __init__(self, coarse: int) -> None:
        self.specs = dict.fromkeys(("a", "b"), msgspec.structs.replace(SPEC, coarse=coarse))

    def predict_on(self, target: str, inputs: Sequence[Array]) -> list[Array] | None:
        return [X * 1.1 if target == "a" else X]

    def seen(self, target: str, inputs: Sequence[Array]) -> Seen | None:
        return None

    def states(self, target: str, instance: int, inputs: Sequence[Array]) -> Mapping[str, Array]:
        return {"x": X, "dense": X}


class Screen:
    """Everything but equality is too much."""

    def exceeds(self, one: Array, two: Array) -> bool:
        return not np.array_equal(one, two)


def test_a_whole_that_is_not_what_its_layers_give_is_blamed() -> None:
    found = outside(Held(coarse=0), Screen(), ("a", "b"), 0, [X])
    assert found is not None
    assert found.blamed == ("a",)


def test_nobody_is_blamed_for_rounding_to_8_bits_otherwise_when_layers_are_shown() -> None:
    assert outside(Held(coarse=1), Screen(), ("a", "b"), 0, [X]) is None
