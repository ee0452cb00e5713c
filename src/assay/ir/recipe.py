"""Recipes: how the arrays of a case are made. Pure data; see ``assay_worker.recipes``."""

from typing import Any

import msgspec
import numpy as np

from assay_worker import recipes as _recipes

Array = np.ndarray[Any, np.dtype[Any]]

#: Every value class a recipe can exercise.
VALUE_CLASSES: tuple[str, ...] = _recipes.VALUE_CLASSES


class _Recipe(msgspec.Struct, frozen=True, tag_field="kind"):
    """Base of all recipes: ``materialise`` gives the same array everywhere."""

    def materialise(self, shape: tuple[int, ...], dtype: str) -> Array:
        """The array of this recipe for a shape and dtype."""
        array: Array = _recipes.materialise(self.as_dict(), shape, dtype)
        return array

    def as_dict(self) -> dict[str, Any]:
        """The form workers take."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return {"kind": self.__struct_config__.tag, **fields}


def _to_floats(recipe: _Recipe, *fields: str) -> None:
    """Make whole numbers floats, as JSON gives them back: 1 and 1.0 must hash alike."""
    for field in fields:
        msgspec.structs.force_setattr(recipe, field, float(getattr(recipe, field)))


class Uniform(_Recipe, frozen=True, tag="uniform"):
    """Uniform in [low, high), rounded to the dtype."""

    seed: int
    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _to_floats(self, "low", "high")


class Scaled(_Recipe, frozen=True, tag="scaled"):
    """Weights of a model whose signals neither vanish nor explode: see ``weight_recipe``.

    A kernel is uniform around zero, up to the root of ``gain`` over what each output adds up.
    """

    seed: int
    gain: float = 6.0

    def __post_init__(self) -> None:
        _to_floats(self, "gain")


class Integers(_Recipe, frozen=True, tag="integers"):
    """Whole numbers from low to high, both included."""

    seed: int
    low: int
    high: int


class Mixed(_Recipe, frozen=True, tag="mixed"):
    """Uniform numbers, a ``share`` of them replaced by special value classes."""

    seed: int
    classes: tuple[str, ...]
    low: float = -1.0
    high: float = 1.0
    share: float = 0.3

    def __post_init__(self) -> None:
        _to_floats(self, "low", "high", "share")


class Ordered(_Recipe, frozen=True, tag="ordered"):
    """As ``Mixed``, ascending along the last axis; NaN last."""

    seed: int
    classes: tuple[str, ...] = ()
    low: float = -1.0
    high: float = 1.0
    share: float = 0.3

    def __post_init__(self) -> None:
        _to_floats(self, "low", "high", "share")


class Constant(_Recipe, frozen=True, tag="constant"):
    """One value everywhere."""

    value: float

    def __post_init__(self) -> None:
        _to_floats(self, "value")


class OneHot(_Recipe, frozen=True, tag="one_hot"):
    """One-hot along the last axis."""

    seed: int


class Probabilities(_Recipe, frozen=True, tag="probabilities"):
    """Positive numbers that sum to one along the last axis."""

    seed: int


class Signs(_Recipe, frozen=True, tag="signs"):
    """-1 or 1."""

    seed: int


class Picture(_Recipe, frozen=True, tag="picture"):
    """Like images: 256 levels from 0 to 1, half of the elements 0."""

    seed: int


class Wave(_Recipe, frozen=True, tag="wave"):
    """Sine waves along the second axis."""

    seed: int


class Walk(_Recipe, frozen=True, tag="walk"):
    """Like prices: random walks along the second axis."""

    seed: int


class Matrix(_Recipe, frozen=True, tag="matrix"):
    """Matrices in the last two axes with a structure, and optionally a special class."""

    seed: int
    structure: str
    special: str = "ordinary"


class Explicit(_Recipe, frozen=True, tag="explicit"):
    """The array itself."""

    array: np.ndarray

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Explicit)
            and self.array.dtype == other.array.dtype
            and self.array.shape == other.array.shape
            and self.array.tobytes() == other.array.tobytes()
        )

    def __hash__(self) -> int:
        return hash((self.array.shape, self.array.tobytes()))


Recipe = (
    Uniform
    | Integers
    | Mixed
    | Ordered
    | Constant
    | OneHot
    | Probabilities
    | Signs
    | Picture
    | Wave
    | Walk
    | Matrix
    | Explicit
)


def derive(seed: int, *labels: str | int) -> int:
    """A new seed that depends on ``seed`` and on every label."""
    derived: int = _recipes.derive(seed, *labels)
    return derived


def redrawn(recipe: Recipe, draw: int) -> Recipe:
    """The recipe for another draw of the same kind of numbers; draw 0 is its own."""
    if not draw or isinstance(recipe, (Constant, Explicit)):
        return recipe
    return msgspec.structs.replace(recipe, seed=derive(recipe.seed, "draw", draw))


def range_of_instance(seed: int) -> tuple[float, float]:
    """Lowest and highest value of an instance, within 0 and 1."""
    low, high = _recipes.range_of_instance(seed)
    return low, high
