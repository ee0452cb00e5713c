"""Recipes: from a seed to the same arrays on every host and worker.

A recipe is plain data (a dict with a ``kind``). Host and workers share this
module, so they cannot differ. Draws are made in float64 with
``RandomState.random_sample``, whose stream is bit-identical from numpy 1.16 on,
then scaled with correctly rounded operations only (no transcendentals) and
cast. See ``ValueClass`` in ``assay.ir.recipe`` for what the classes mean.
"""

import hashlib

import numpy as np

from assay_worker.precision.formats import rounded

#: Value classes that replace single elements: class -> function of the dtype.
_ELEMENT_CLASSES = {
    "zero": lambda info: 0.0,
    "negative_zero": lambda info: -0.0,
    "one": lambda info: 1.0,
    "subnormal": lambda info: float(info.tiny) / 4,
    "tiny": lambda info: float(info.tiny) * 4,
    "huge": lambda info: float(info.max) / 4,
    "nan": lambda info: float("nan"),
    "positive_infinity": lambda info: float("inf"),
    "negative_infinity": lambda info: float("-inf"),
}
#: Value classes that shape the whole array.
_ARRAY_CLASSES = ("ordinary", "tied", "large_mean")
#: Value classes of whole matrices; scaled by a power of two, 2^10 or its inverse.
_MATRIX_CLASSES = ("identity", "singular", "indefinite", "scaled_up", "scaled_down")
VALUE_CLASSES = (
    tuple(_ELEMENT_CLASSES) + _ARRAY_CLASSES + ("integer_extreme", "out_of_range") + _MATRIX_CLASSES
)


def derive(seed, *labels):
    """A new seed that depends on ``seed`` and on every label."""
    # Labels are escaped: ("a/b",) and ("a", "b") must not meet.
    parts = [str(part).replace("%", "%25").replace("/", "%2F") for part in (seed,) + labels]
    text = "/".join(parts)
    return int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:15], 16)


def range_of_instance(seed):
    """Lowest and highest value of an instance: pictures differ in brightness and contrast.

    Means of uniform noise over one range are all alike, and so are a model's answers.
    """
    contrast = (1 + seed % 8) / 8.0
    low = (1.0 - contrast) * (seed // 8 % 8) / 7.0
    return low, low + contrast


# Making a RandomState costs 140 us, seeding one 18 us, and a case draws a dozen times.
_STATE = np.random.RandomState(0)


def random_state(seed):
    """The generator for ``seed`` (any non-negative integer), until the next call."""
    digest = hashlib.sha256(str(seed).encode("utf-8")).digest()
    _STATE.seed(np.frombuffer(digest, dtype="<u4").tolist())
    return _STATE


def _scaled(state, shape, low, high):
    return low + (high - low) * state.random_sample(tuple(shape))


def _uniform(recipe, shape, dtype):
    low, high = recipe.get("low", -1.0), recipe.get("high", 1.0)
    return _scaled(random_state(recipe["seed"]), shape, low, high)


def _scaled_by_fan(recipe, shape, dtype):
    """Numbers around zero, up to the root of ``gain`` over how many each output adds up.

    The last ``own`` axes count outputs. Square roots are rounded correctly, so that the bits are
    the same everywhere.
    """
    shape = tuple(shape)
    fan = float(np.prod(shape[: len(shape) - recipe.get("own", 1)], dtype="float64"))
    most = float(np.sqrt(recipe.get("gain", 6.0) / max(fan, 1.0)))
    return _scaled(random_state(recipe["seed"]), shape, -most, most)


def _integers(recipe, shape, dtype):
    low, high = recipe["low"], recipe["high"]
    draws = random_state(recipe["seed"]).random_sample(tuple(shape))
    # As floats: old numpy makes objects of integers beyond 64 bits.
    values = np.floor(low + float(high - low + 1) * draws)
    return np.minimum(values, float(high))


def _mixed(recipe, shape, dtype):
    """Ordinary numbers of which a ``share`` is replaced by special classes.

    Every class is there at least once, as far as there are elements to hold them.
    """
    state = random_state(recipe["seed"])
    low, high = recipe.get("low", -1.0), recipe.get("high", 1.0)
    values = np.asarray(_scaled(state, shape, low, high))
    chance = np.asarray(state.random_sample(tuple(shape)))
    choice = np.asarray(state.random_sample(tuple(shape)))
    classes = [name for name in recipe["classes"] if name != "ordinary"]
    if "tied" in classes:
        # Quarters in the range: many equal elements, all exactly representable.
        step = (high - low) / 4.0
        values = low + step * np.floor((values - low) / step) if step else values
    if "large_mean" in classes:
        values = 4096.0 + values / 64.0
    elements = [name for name in classes if name in _ELEMENT_CLASSES]
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        extremes = [float(info.min), float(info.max)] if "integer_extreme" in classes else []
        whole = [name for name in elements if name in ("zero", "one")]
        specials = extremes + [_ELEMENT_CLASSES[name](info) for name in whole]
        values = np.floor(values)
    else:
        info = np.finfo(dtype if np.dtype(dtype).kind == "f" else "float32")
        specials = [_ELEMENT_CLASSES[name](info) for name in elements]
    if specials:
        picked = np.minimum((choice * len(specials)).astype("int64"), len(specials) - 1)
        special_values = np.asarray(specials, dtype="float64")[picked]
        replace = chance < recipe.get("share", 0.3)
        values = np.where(replace, special_values, values)
        # A class without an element was never exercised. The likeliest elements take one each.
        flat = values.reshape(-1)
        likeliest = np.argsort(chance.reshape(-1), kind="mergesort")[: len(specials)]
        flat[likeliest] = specials[: len(likeliest)]
        values = flat.reshape(values.shape)
    return values


def _ordered(recipe, shape, dtype):
    values = _mixed(recipe, shape, dtype)
    # Stable: which of two zeros of different sign comes first must not depend on the version.
    return np.sort(values, axis=-1, kind="mergesort") if values.ndim else values


def _constant(recipe, shape, dtype):
    return np.full(tuple(shape), recipe["value"], dtype="float64")


def _one_hot(recipe, shape, dtype):
    shape = tuple(shape)
    if not shape:
        raise ValueError("one_hot expects a shape with at least one axis; received ()")
    size = shape[-1]
    draws = random_state(recipe["seed"]).random_sample(shape[:-1])
    index = np.minimum(np.floor(draws * size), size - 1).astype("int64")
    return (np.arange(size) == np.asarray(index)[..., None]).astype("float64")


def _probabilities(recipe, shape, dtype):
    draws = 0.0625 + random_state(recipe["seed"]).random_sample(tuple(shape))
    return draws / draws.sum(axis=-1, keepdims=True) if draws.ndim else draws


def _signs(recipe, shape, dtype):
    draws = random_state(recipe["seed"]).random_sample(tuple(shape))
    return np.where(draws < 0.5, -1.0, 1.0)


def _along_time(shape):
    """The axis that is taken for time: the one behind the batch."""
    return 1 if len(shape) > 1 else 0


def _picture(recipe, shape, dtype):
    """Levels of grey from 0 to 1 in steps of 1/255, half of them background."""
    state = random_state(recipe["seed"])
    levels = np.floor(256.0 * state.random_sample(tuple(shape))) / 255.0
    background = state.random_sample(tuple(shape)) < 0.5
    return np.where(background, 0.0, np.minimum(levels, 1.0))


def _wave(recipe, shape, dtype):
    """A sine wave along time for each series, to three digits, made of parabolas.

    Sines themselves are not the same bits everywhere.
    """
    shape = tuple(shape)
    if not shape:
        return _scaled(random_state(recipe["seed"]), shape, -1.0, 1.0)
    axis, state = _along_time(shape), random_state(recipe["seed"])
    series = shape[:axis] + (1,) + shape[axis + 1 :]
    frequency = 0.03125 + 0.25 * state.random_sample(series)
    phase = state.random_sample(series)
    time = np.arange(shape[axis], dtype="float64").reshape((-1,) + (1,) * (len(shape) - axis - 1))
    turns = frequency * time + phase
    place = 2.0 * (turns - np.floor(turns)) - 1.0
    rough = 4.0 * place * (1.0 - np.abs(place))
    return 0.225 * (rough * np.abs(rough) - rough) + rough


def _walk(recipe, shape, dtype):
    """Prices: each series starts between 0.5 and 1.5 and goes up or down a little each time."""
    shape = tuple(shape)
    if not shape or 0 in shape:
        return _scaled(random_state(recipe["seed"]), shape, 0.5, 1.5)
    axis, state = _along_time(shape), random_state(recipe["seed"])
    start = 0.5 + state.random_sample(shape[:axis] + (1,) + shape[axis + 1 :])
    steps = 0.125 * (state.random_sample(shape) - 0.5)
    return start + np.cumsum(steps, axis=axis)  # in order: the same bits everywhere


def _affine(values, special):
    """Rows a0, a1, a2, b0, b1, b2, c0, c1 of image transforms; c0 and c1 are 0."""
    if not values.ndim or values.shape[-1] != 8:
        raise ValueError("affine expects rows of 8; received shape %s" % (values.shape,))
    identity = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    if special == "identity":
        return np.broadcast_to(identity, values.shape).copy()
    reach = 12.0 if special == "scaled_up" else 1.5
    return identity + values * np.array([0.4, 0.4, reach, 0.4, 0.4, reach, 0.0, 0.0])


def _corners(values, special):
    """Four points (x, y) near the corners of a rectangle: never three on a line."""
    if values.shape[-2:] != (4, 2):
        raise ValueError("corners expects four points; received shape %s" % (values.shape,))
    corners = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 5.0], [6.0, 5.0]])
    return corners + values * (0.0 if special == "identity" else 0.8)


def _matrix(recipe, shape, dtype):
    """Matrices of a structure, well conditioned unless the special class is another.

    Sums and products of two numbers only: the same bits everywhere.
    """
    values = np.asarray(_scaled(random_state(recipe["seed"]), shape, -1.0, 1.0))
    if recipe["structure"] == "affine":
        return _affine(values, recipe.get("special", "ordinary"))
    if recipe["structure"] == "corners":
        return _corners(values, recipe.get("special", "ordinary"))
    if values.ndim < 2 or values.shape[-1] != values.shape[-2]:
        raise ValueError("matrix expects square matrices; received shape %s" % (values.shape,))
    structure, special = recipe["structure"], recipe.get("special", "ordinary")
    size = values.shape[-1]
    unit = np.eye(size)
    if structure in ("symmetric", "positive_definite"):
        values = (values + np.swapaxes(values, -1, -2)) / 2.0
    if structure == "positive_definite":
        values = values + (-size if special == "indefinite" else size) * unit
    elif structure != "symmetric":
        # Dominant diagonals of either sign.
        values = values + size * unit * np.where(values < 0.0, -1.0, 1.0)
    if structure in ("lower", "upper"):
        values = np.tril(values) if structure == "lower" else np.triu(values)
    if special == "identity":
        values = np.broadcast_to(unit, values.shape).copy()
    elif special == "singular":
        values[..., -1:, :] = 0.0
        values[..., :, -1:] = 0.0
    elif special in ("scaled_up", "scaled_down"):
        values = values * (2.0 ** (10 if special == "scaled_up" else -10))
    return values


def _explicit(recipe, shape, dtype):
    return np.asarray(recipe["array"])


_KINDS = {
    "uniform": _uniform,
    "scaled": _scaled_by_fan,
    "integers": _integers,
    "mixed": _mixed,
    "ordered": _ordered,
    "constant": _constant,
    "one_hot": _one_hot,
    "probabilities": _probabilities,
    "signs": _signs,
    "picture": _picture,
    "wave": _wave,
    "walk": _walk,
    "matrix": _matrix,
    "explicit": _explicit,
}


def materialise(recipe, shape, dtype):
    """The array of ``recipe`` for a shape and dtype (a numpy dtype name).

    ``bfloat16`` arrays are returned as float32: numpy has no such dtype, and
    the caller casts. Their numbers are those of bfloat16 already, so that everybody reads the same.
    """
    stored = "float32" if dtype == "bfloat16" else dtype
    kind = recipe["kind"]
    if kind not in _KINDS:
        raise ValueError("unknown recipe kind %r; expected one of %s" % (kind, sorted(_KINDS)))
    if np.dtype(stored).kind == "c" and kind != "explicit":
        return _complex(recipe, shape, stored)
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.asarray(_KINDS[kind](recipe, shape, stored))
        if stored == "bool" and values.dtype != np.dtype("bool"):
            values = values > 0
        elif np.dtype(stored).kind in "iu" and values.dtype.kind == "f":
            # float64 cannot hold every 64-bit extreme: clip before the cast.
            info = np.iinfo(stored)
            known = np.where(np.isnan(values), 0.0, values)  # what NaN becomes differs by CPU
            clipped = np.clip(known, float(info.min), float(info.max))
            cast = clipped.astype(stored)
            values = np.where(clipped >= float(info.max), info.max, cast)
        if dtype == "bfloat16":
            values = rounded(values, dtype)
        array = np.ascontiguousarray(values.astype(stored)).reshape(values.shape)
    if tuple(array.shape) != tuple(shape):
        raise ValueError(
            "recipe %r gives shape %s; expected %s" % (kind, array.shape, tuple(shape))
        )
    return array


def _complex(recipe, shape, dtype):
    """Real and imaginary parts are two draws of one recipe."""
    part = "float32" if dtype == "complex64" else "float64"
    other = dict(recipe, seed=derive(recipe["seed"], "imaginary")) if "seed" in recipe else recipe
    # Not real + 1j * imaginary: infinity times 0j is NaN.
    array = np.empty(tuple(shape), dtype=dtype)
    array.real = materialise(recipe, shape, part)
    array.imag = materialise(other, shape, part)
    return array


def redrawn(recipe, draw):
    """The recipe for another draw of the same kind of numbers; draw 0 is its own."""
    if not draw or "seed" not in recipe:
        return recipe
    return dict(recipe, seed=derive(recipe["seed"], "draw", draw))


def weight_recipe(weights, node, index, name):
    """The recipe for one weight of a node.

    ``weights`` is the case's weight recipe; the name decides only what the
    mathematics demands: variances and standard deviations are positive.
    """
    recipe = dict(weights, seed=derive(weights["seed"], node, index))
    if weights.get("kind") == "scaled":
        return _by_meaning(recipe, name.rpartition("/")[2])
    if "variance" in name or "stddev" in name:
        recipe["low"], recipe["high"] = 0.5, 1.5
    return recipe


def _by_meaning(recipe, name):
    """A weight of a model whose signals stay of one size, by the last part of its name."""
    uniform = {"kind": "uniform", "seed": recipe["seed"]}
    if "variance" in name or "stddev" in name or name in ("gamma", "scale"):
        return dict(uniform, low=0.9, high=1.1)
    if "bias" in name or "mean" in name or name == "beta":
        return dict(uniform, low=-0.05, high=0.05)
    if "embeddings" in name:
        return dict(uniform, low=-1.0, high=1.0)
    # A filter of its own for each channel adds up a window; what comes back is added to what comes.
    gain = recipe["gain"] / 2.0 if "recurrent" in name else recipe["gain"]
    return dict(recipe, gain=gain, own=2 if "depthwise" in name else 1)


def digest(arrays):
    """Hash of named arrays (dtype, shape and bytes): do two arms hold the same data?"""
    result = hashlib.sha1()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        shape = np.shape(arrays[name])  # a contiguous array has at least one axis
        result.update(("%s|%s|%s|" % (name, array.dtype.name, shape)).encode("utf-8"))
        result.update(array.tobytes())
    return result.hexdigest()
