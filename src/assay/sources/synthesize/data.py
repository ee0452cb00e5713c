"""Where the numbers that enter a model come from."""

from assay.ir import Mixed, Picture, Recipe, Uniform, Walk, Wave
from assay.ops import Draw, Shape

#: How often each kind of data is drawn.
_KINDS = ("uniform",) * 7 + ("picture",) * 3 + ("wave",) * 2 + ("walk",) * 2 + ("special",) * 5
#: NaN and infinities flood a whole model, and then say little: one special draw in five or so.
_SPECIALS = (
    *("zero", "negative_zero", "one", "tied", "large_mean", "subnormal", "tiny") * 2,
    "huge",
    "nan",
    "positive_infinity",
    "negative_infinity",
)


#: Data as published: shapes without the batch, by what they are like.
_DATASETS: dict[str, Shape] = {
    "mnist": (28, 28, 1),
    "cifar": (32, 32, 3),
    "imagenet": (224, 224, 3),
    "sine": (20, 1),
    "prices": (20, 4),
}
#: Elements of a batch of the largest.
LARGEST_DATA = 160_000


def draw_dataset(draw: Draw, batch: int, small: Shape, seed: int) -> tuple[Shape, Recipe]:
    """One of six sources: uniform numbers of the small shape, or like a data set, in its shape."""
    kind = draw.pick(("uniform", *_DATASETS))
    if kind == "uniform":
        return small, Uniform(seed, 0.0, 1.0)
    shape = (1 if kind == "imagenet" else batch, *_DATASETS[kind])
    if kind in ("mnist", "cifar", "imagenet"):
        return shape, Picture(seed)
    return shape, Wave(seed) if kind == "sine" else Walk(seed)


def draw_data(draw: Draw, shape: Shape, seed: int) -> Recipe:
    """Uniform, like images, waves, like prices, or with special values in it."""
    kind = draw.pick(_KINDS)
    if kind == "picture" and len(shape) > 2:
        return Picture(seed)
    if kind == "wave":
        return Wave(seed)
    if kind == "walk":
        return Walk(seed)
    if kind == "special" and 0 not in shape:
        return Mixed(seed, (draw.pick(_SPECIALS),), -1.0, 1.0, draw.pick((0.1, 0.3, 0.6)))
    return Uniform(seed, -1.0, 1.0)
