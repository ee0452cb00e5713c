"""Settings of published methods, by name."""

import msgspec

from assay.errors import AssayError
from assay.ir.precision import Measure, Mode
from assay.sources.precision import Wishes
from assay.suggest import unknown


class Operator(msgspec.Struct, frozen=True):
    """An op, what it is called in tables, and what its call should be like.

    ``box``: its numbers are between -box and box, if that is not said for all.
    """

    op: str
    label: str
    wishes: Wishes
    box: float | None = None


class Preset(msgspec.Struct, frozen=True):
    """What a method has of its own; an option that is given replaces it."""

    operators: tuple[Operator, ...]
    inputs: int
    strategies: tuple[str, ...]
    modes: tuple[Mode, ...]
    dtypes: tuple[str, ...]
    measure: Measure


#: Its operators are layers of Keras; shapes, filters and the kernel's constant are those of its
#: published code, pictures with channels last; parameters are drawn anew for each group of inputs.
_PREDOO = (
    Operator(
        "keras.layers.Conv2D",
        "conv2d",
        Wishes(
            (1, 10, 10, 3),
            {"filters": 8, "use_bias": False},
            ("kernel_size", "strides", "padding"),
            weights=(0.5, 0.5),
        ),
    ),
    Operator(
        "keras.layers.BatchNormalization",
        "norm",
        Wishes((1, 2, 4, 4), {"center": False, "scale": False}, ("momentum", "epsilon")),
    ),
    Operator(
        "keras.layers.MaxPooling2D",
        "pooling",
        Wishes((1, 4, 4, 2), {}, ("pool_size", "strides", "padding")),
    ),
    Operator("keras.layers.ReLU", "relu", Wishes((2, 2))),
    Operator("keras.layers.Activation", "sigmoid", Wishes((2, 2), {"activation": "sigmoid"})),
    Operator("keras.layers.Softmax", "softmax", Wishes((2, 2), {}, ("axis",))),
    Operator("keras.layers.Activation", "tanh", Wishes((2, 2), {"activation": "tanh"})),
)


def presets() -> dict[str, Preset]:
    """Every preset of ``precision``."""
    return {
        "predoo": Preset(
            operators=_PREDOO,
            inputs=20_000,
            strategies=("random", "linf", "l1"),
            modes=("input", "operator"),
            dtypes=("float16",),
            measure="instances",
        ),
    }


def preset_of(name: str) -> Preset:
    """The preset of a name; ``AssayError`` if there is none."""
    known = presets()
    if name not in known:
        raise AssayError(unknown("preset", name, known, "Available"))
    return known[name]
