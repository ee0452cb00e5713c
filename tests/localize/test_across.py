"""The first layer of one file whose output the other does not have."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.ir import Array
from assay.ir.check import LayerSpec, Located, ModelSpec, TensorSpec
from assay.judge.models.referee import LayerReferee
from assay.localize.across import locate_across, tells_of

RANDOM = np.random.default_rng(4)
IMAGE = RANDOM.normal(size=(1, 4, 5, 3)).astype("float32")
FLAT = RANDOM.normal(size=(1, 6)).astype("float32")
SCORES = RANDOM.normal(size=(1, 2)).astype("float32")


class Opened:
    """Two arms with these tensors; every layer reads the one before it."""

    def __init__(self, first: Mapping[str, Array], second: Mapping[str, Array]) -> None:
        self._arrays = {"a": first, "b": second}

    @property
    def specs(self) -> Mapping[str, ModelSpec]:
        return {name: self._spec(list(arrays)) for name, arrays in self._arrays.items()}

    def _spec(self, names: list[str]) -> ModelSpec:
        reads = ["x", *names]
        layers = tuple(
            LayerSpec(n, "op", (before,), (n,)) for before, n in zip(reads, names, strict=False)
        )
        outputs = tuple(TensorSpec(name, (), "float32") for name in names[-1:])
        return ModelSpec((), outputs, layers, 0, "")

    def states(self, target: str, instance: int, inputs: Sequence[Array]) -> Mapping[str, Array]:
        return self._arrays[target]


def located(first: Mapping[str, Array], second: Mapping[str, Array]) -> Located:
    referee = LayerReferee(lambda target, op: target)
    return locate_across(Opened(first, second), referee, ("a", "b"), 0, ())


def test_other_names_and_layouts_are_seen_through() -> None:
    first = {"conv": IMAGE, "flat": FLAT, "scores": SCORES}
    second = {"n1": IMAGE.transpose(0, 3, 1, 2), "n2": FLAT * 1.01, "n3": SCORES * 1.02}
    found = located(first, second)
    assert found.suspect is not None
    assert (found.suspect.layer, found.suspect.layers_before) == ("flat", 1)
    assert found.suspect.reason == "1 of 1 layer before it are found again in b, this one is not"
    assert found.map is not None
    assert [item.layer for item in found.map.layers] == ["conv", "flat", "scores"]


def test_a_layer_that_was_fused_away_is_not_suspected() -> None:
    first = {"conv": IMAGE, "norm": 2 * IMAGE, "flat": FLAT, "scores": SCORES}
    second = {"fused": 2 * IMAGE, "flat2": FLAT, "scores2": SCORES * 1.1}
    found = located(first, second)
    assert found.suspect is not None
    assert found.suspect.layer == "scores"
    assert found.map is not None
    assert "conv" not in [item.layer for item in found.map.layers]


def test_a_wrong_order_of_elements_is_seen_where_it_begins() -> None:
    first = {"conv": IMAGE, "flat": IMAGE.reshape(1, -1), "scores": SCORES}
    turned = IMAGE.transpose(0, 3, 1, 2)
    second = {"c": turned, "f": turned.reshape(1, -1), "s": SCORES * 1.5}
    found = located(first, second)
    assert found.suspect is not None
    assert found.suspect.layer == "flat"


def test_names_tell_which_tensor_is_meant() -> None:
    first = {"one": FLAT, "two": FLAT * 1.5, "scores": SCORES}
    second = {"m/one/add": FLAT * 1.5, "m/two/add": FLAT * 1.5, "m/scores": SCORES * 1.5}
    found = located(first, second)
    assert found.suspect is not None
    assert found.suspect.layer == "scores"  # "two" is there: "one" went into it
    second = {"m/one/add": FLAT * 1.5, "m/two/add": FLAT * 1.6, "m/scores": SCORES * 1.5}
    found = located(first, second)
    assert found.suspect is not None
    assert found.suspect.layer == "one"


def test_a_file_that_cannot_be_opened_is_compared_as_a_whole() -> None:
    assert located({"conv": IMAGE}, {}) == Located(None, None, None, False)


def test_a_name_is_part_of_another_only_as_a_whole() -> None:
    assert tells_of("model/conv1/Conv2D:0", "conv1")
    assert tells_of("outer/inner/Add", "outer/inner")
    assert not tells_of("model/conv12/Conv2D", "conv1")
