"""Seed models: architectures on inputs that are shaped like MNIST, CIFAR-10 and IMDb.

Pictures are drawn by recipe, and so are weights: a case says nothing but seeds, and travels as
such. A narrow model has the layers of the full one, with fewer channels and units.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.ir import Integers, Picture, Uniform, range_of_instance
from assay.sources.mutate.building import Building, Seed
from assay.suggest import unknown


class Text(NamedTuple):
    """Sizes of a model of texts: words that are known, words of a text, numbers of each word."""

    words: int = 500
    length: int = 20
    depth: int = 16
    units: int = 16


_FULL_TEXT = Text(20_000, 80, 128, 128)


class Wanted(NamedTuple):
    """Which model: its numbers by ``seed``; ``embedded`` ones of texts begin behind the embedding,
    with a vector per word."""

    seed: int
    full: bool = False
    embedded: bool = False


def _mnist(building: Building) -> str:
    return building.input((1, 28, 28, 1), "float32", Picture(building.own_seed()))


def _cifar(building: Building) -> str:
    seed = building.own_seed()
    return building.input((1, 32, 32, 3), "float32", Uniform(seed, *range_of_instance(seed)))


def _words(building: Building, text: Text, embedded: bool) -> str:
    seed = building.own_seed()
    if embedded:  # as the numbers of an embedding are drawn
        return building.input((1, text.length, text.depth), "float32", Uniform(seed, -1.0, 1.0))
    ids = building.input((1, text.length), "int32", Integers(seed, 0, text.words - 1))
    return building.add("Embedding", ids, input_dim=text.words, output_dim=text.depth)


def _lenet5(wanted: Wanted) -> Seed:
    building = Building(wanted.seed)
    flow = _mnist(building)
    for filters in (6, 16):
        flow = building.add(
            "Conv2D", flow, filters=filters, kernel_size=5, padding="same", activation="relu"
        )
        flow = building.add("MaxPooling2D", flow, pool_size=2)
    flow = building.add("Flatten", flow)
    for units in (120, 84):
        flow = building.add("Dense", flow, units=units, activation="relu")
    return building.classifier(flow, 10)


def _normalised(building: Building, flow: str, layer: str, **params: Any) -> str:
    """A convolution without a bias, and its batch normalization."""
    flow = building.add(layer, flow, padding="same", use_bias=False, **params)
    return building.add("BatchNormalization", flow)


def _resnet20(wanted: Wanted) -> Seed:
    building = Building(wanted.seed)
    widths = (16, 32, 64) if wanted.full else (4, 8, 16)
    flow = _normalised(building, _cifar(building), "Conv2D", filters=widths[0], kernel_size=3)
    flow = building.add("ReLU", flow)
    for stage, width in enumerate(widths):
        for block in range(3):
            strides = 2 if stage and not block else 1
            other = _normalised(
                building, flow, "Conv2D", filters=width, kernel_size=3, strides=strides
            )
            other = building.add("ReLU", other)
            other = _normalised(building, other, "Conv2D", filters=width, kernel_size=3)
            if strides == 2:
                flow = _normalised(
                    building, flow, "Conv2D", filters=width, kernel_size=1, strides=2
                )
            flow = building.add("ReLU", building.add("Add", (flow, other)))
    return building.classifier(building.add("GlobalAveragePooling2D", flow), 10)


def _vgg16(wanted: Wanted) -> Seed:
    building = Building(wanted.seed)
    flow = _cifar(building)
    part = 1 if wanted.full else 16
    for width, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            flow = building.add(
                "Conv2D",
                flow,
                filters=width // part,
                kernel_size=3,
                padding="same",
                activation="relu",
            )
        flow = building.add("MaxPooling2D", flow, pool_size=2)
    flow = building.add("Flatten", flow)
    for _ in range(2):
        flow = building.add("Dense", flow, units=512 // part, activation="relu")
    return building.classifier(flow, 10)


#: Of MobileNetV2: expansion, channels, blocks, strides.
_BLOCKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 1),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def _mobilenetv2(wanted: Wanted) -> Seed:
    building = Building(wanted.seed)
    part = 1 if wanted.full else 8
    depth = 32 // part
    flow = _normalised(building, _cifar(building), "Conv2D", filters=depth, kernel_size=3)
    flow = building.add("ReLU", flow, max_value=6.0)
    for expansion, width, count, first in _BLOCKS:
        for block in range(count):
            before, other, given = flow, flow, depth
            if expansion > 1:
                other = _normalised(
                    building, other, "Conv2D", filters=expansion * depth, kernel_size=1
                )
                other = building.add("ReLU", other, max_value=6.0)
            strides = 1 if block else first
            other = _normalised(building, other, "DepthwiseConv2D", kernel_size=3, strides=strides)
            other = building.add("ReLU", other, max_value=6.0)
            depth = width // part
            flow = _normalised(building, other, "Conv2D", filters=depth, kernel_size=1)
            if strides == 1 and depth == given:
                flow = building.add("Add", (before, flow))
    flow = _normalised(building, flow, "Conv2D", filters=1280 // part, kernel_size=1)
    flow = building.add("ReLU", flow, max_value=6.0)
    return building.classifier(building.add("GlobalAveragePooling2D", flow), 10)


def _recurrent(layer: str) -> Callable[[Wanted], Seed]:
    def model(wanted: Wanted) -> Seed:
        building = Building(wanted.seed)
        text = _FULL_TEXT if wanted.full else Text()
        flow = _words(building, text, wanted.embedded)
        flow = building.add(layer, flow, units=text.units)
        flow = building.add("Dense", flow, units=text.units, activation="relu")
        return building.classifier(flow, 2)

    return model


def _transformer(wanted: Wanted) -> Seed:
    building = Building(wanted.seed)
    text = _FULL_TEXT if wanted.full else Text()
    flow = _words(building, text, wanted.embedded)
    for _ in range(2):
        other = building.add("MultiHeadAttention", flow, flow, num_heads=2, key_dim=text.depth // 2)
        flow = building.add("LayerNormalization", building.add("Add", (flow, other)))
        other = building.add("Dense", flow, units=2 * text.depth, activation="gelu")
        other = building.add("Dense", other, units=text.depth)
        flow = building.add("LayerNormalization", building.add("Add", (flow, other)))
    return building.classifier(building.add("GlobalAveragePooling1D", flow), 2)


_MODELS: dict[str, Callable[[Wanted], Seed]] = {
    "lenet5": _lenet5,
    "resnet20": _resnet20,
    "vgg16": _vgg16,
    "mobilenetv2": _mobilenetv2,
    "simplernn": _recurrent("SimpleRNN"),
    "lstm": _recurrent("LSTM"),
    "gru": _recurrent("GRU"),
    "transformer": _transformer,
}
#: Every seed model.
MODELS = tuple(_MODELS)
#: Those that read texts.
OF_TEXTS = frozenset({"simplernn", "lstm", "gru", "transformer"})


def seed_model(name: str, wanted: Wanted) -> Seed:
    """The seed model of that name; ``AssayError`` if there is none."""
    if name not in _MODELS:
        raise AssayError(unknown("seed model", name, MODELS, "Available"))
    return _MODELS[name](wanted)
