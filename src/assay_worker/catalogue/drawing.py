"""Draws of a catalogue's call: new sizes, dtypes and values within what was seen to work.

Host and workers share this module: what a build measures is what a hunt draws. A call is plain
data, as ``assay.catalogue.records.Call`` describes it. Besides what ``assay_worker.calls`` knows,
its arguments may hold ``{"$size": symbol}``, the size of an axis, and ``{"$dtype": "main"}``, the
dtype of the main tensors.
"""

import math
import random

import numpy as np

from assay_worker.recipes import derive

#: Chances that a size, and that the dtype, differ from the sample's.
SIZE_CHANGES = 0.5
DTYPE_CHANGES = 0.4
#: Share of the draws with special values, and of special elements in them.
SPECIAL_DRAWS = 0.3
SPECIAL_SHARE = 0.3
#: No tensor that is drawn has more elements; sizes fall back to the sample's.
MOST_ELEMENTS = 20000
#: Ranges of whatever takes any real number, the usual ones repeated.
FREE_RANGES = ((-1.0, 1.0), (-1.0, 1.0), (-10.0, 10.0), (-100.0, 100.0))
FREE_INTEGERS = 9
#: Structures that values may need, each a recipe of its own.
STRUCTURES = ("positive_definite", "symmetric", "lower", "ordered", "probabilities")


def kind_of(dtype):
    """``f``, ``c``, ``i``, ``u`` or ``b``: the kind of a dtype by its name."""
    if dtype.startswith(("float", "bfloat")):
        return "f"
    return {"c": "c", "i": "i", "u": "u", "b": "b"}[dtype[0]]


def main_dtype(call):
    """The dtype that the main tensors have in the sample; "" without tensors."""
    return call["dtypes"][0] if call["dtypes"] else ""


class Choice(object):
    """What is decided of a draw: sizes by symbol, the main dtype, special classes, values.

    ``whole``: what takes any number is drawn from the whole range of its dtype.
    """

    def __init__(self, sizes, dtype, special, seed, whole=False):
        self.sizes = sizes
        self.dtype = dtype
        self.special = tuple(special)
        self.seed = seed
        self.whole = whole


def sample(call, seed=0):
    """The sample's own sizes and dtype, with values drawn anew."""
    sizes = {symbol: worked[0] for symbol, worked in call["sizes"].items()}
    return Choice(sizes, main_dtype(call), (), seed)


def chosen(call, seed):
    """A draw, a function of the call and the seed."""
    chance = random.Random(derive(seed, "catalogue")).random

    def pick(items):
        return items[int(chance() * len(items))]

    choice = sample(call, derive(seed, "values"))
    for symbol in sorted(call["sizes"]):
        worked = call["sizes"][symbol]
        if chance() < SIZE_CHANGES:
            choice.sizes[symbol] = pick(worked)
    if not fits_sizes(call, choice.sizes):
        choice.sizes = sample(call).sizes
    if chance() < DTYPE_CHANGES and call["dtypes"]:
        choice.dtype = pick(call["dtypes"])
    if chance() < SPECIAL_DRAWS and call["special"]:
        choice.special = (pick(call["special"]),)
    return choice


def nearby(call, choice):
    """Draws that say of values what this one says, in fewer shapes and dtypes.

    Where an axis has several elements, it has as many as in the sample; the dtype is the first of
    its kind, and changes apart from sizes.
    """
    usual = sample(call)
    sizes = {
        symbol: usual.sizes[symbol] if size > 1 else size for symbol, size in choice.sizes.items()
    }
    kind = kind_of(choice.dtype) if choice.dtype else ""
    dtype = next((name for name in call["dtypes"] if kind_of(name) == kind), choice.dtype)
    found = [Choice(sizes, usual.dtype, choice.special, choice.seed)]
    if dtype != usual.dtype:
        found.append(Choice(usual.sizes, dtype, choice.special, choice.seed))
    return found


def uniform(call, seed):
    """A draw in which every size and dtype that works is as likely as another.

    So are all numbers of a dtype, where any are valid: as generators draw that know nothing of
    an API but what its documentation restricts.
    """
    chance = random.Random(derive(seed, "catalogue")).random

    def pick(items):
        return items[int(chance() * len(items))]

    sizes = {symbol: pick(call["sizes"][symbol]) for symbol in sorted(call["sizes"])}
    if not fits_sizes(call, sizes):
        sizes = sample(call).sizes
    dtype = pick(call["dtypes"]) if call["dtypes"] else ""
    return Choice(sizes, dtype, (), derive(seed, "values"), whole=True)


def fits_sizes(call, sizes):
    """Is no tensor too large with these sizes? Symbols that are left out are as in the sample."""
    return _largest(call, dict(sample(call).sizes, **sizes)) <= MOST_ELEMENTS


def _largest(call, sizes):
    found = [1]
    for tensor in call["inputs"]:
        count = 1
        for size in shape_of(tensor, sizes):
            count *= size
        found.append(count)
    return max(found)


def shape_of(tensor, sizes):
    """The shape of a tensor for sizes by symbol."""
    return tuple(sizes[size] if isinstance(size, str) else size for size in tensor["shape"])


def dtype_of(call, tensor, choice):
    """The dtype of a tensor: main ones have the dtype that was chosen."""
    return choice.dtype if tensor["dtype"] == main_dtype(call) else tensor["dtype"]


def drawn(call, choice):
    """Arguments and inputs of a draw: ``{"params", "arguments", "inputs"}``.

    Each input has ``name``, ``shape``, ``dtype`` and ``recipe`` (see ``assay_worker.recipes``).
    """
    inputs = []
    for index, tensor in enumerate(call["inputs"]):
        dtype = dtype_of(call, tensor, choice)
        shape = shape_of(tensor, choice.sizes)
        main = tensor["dtype"] == main_dtype(call)
        seed = derive(choice.seed, index)
        special = choice.special if main else ()
        recipe = recipe_of(tensor, shape, dtype, seed, special, choice.whole)
        inputs.append({"name": tensor["name"], "shape": shape, "dtype": dtype, "recipe": recipe})
    return {
        "params": settled(call["params"], choice),
        "arguments": settled(call["arguments"], choice),
        "inputs": inputs,
    }


def settled(value, choice):
    """Plain arguments with sizes and the main dtype filled in."""
    if isinstance(value, (list, tuple)):
        return [settled(item, choice) for item in value]
    if isinstance(value, dict):
        if len(value) == 1:
            if "$size" in value:
                return choice.sizes[value["$size"]]
            if value.get("$dtype") == "main":
                return {"$dtype": choice.dtype}
        return {key: settled(item, choice) for key, item in value.items()}
    return value


def recipe_of(tensor, shape, dtype, seed, special=(), whole=False):
    """The recipe of a tensor's values."""
    if tensor["values"] is not None:
        return {"kind": "explicit", "array": explicit(tensor, shape, dtype)}
    kind = kind_of(dtype)
    structure = tensor.get("structure", "")
    everything = whole and tensor["free"] and kind != "b"
    low, high = whole_range(dtype) if everything else bounds(tensor, kind, seed)
    if structure in ("positive_definite", "symmetric", "lower"):
        return {"kind": "matrix", "seed": seed, "structure": structure}
    if structure == "probabilities":
        return {"kind": "probabilities", "seed": seed}
    if structure == "ordered":
        return {"kind": "ordered", "seed": seed, "classes": [], "low": low, "high": high}
    if kind == "b":
        return {"kind": "uniform", "seed": seed, "low": -1.0, "high": 1.0}
    fitting = [name for name in special if fits(name, kind)]
    if fitting:
        return {
            "kind": "mixed",
            "seed": seed,
            "classes": fitting,
            "low": float(low),
            "high": float(high),
            "share": SPECIAL_SHARE,
        }
    if kind in "iu":
        return {"kind": "integers", "seed": seed, "low": int(low), "high": int(high)}
    return {"kind": "uniform", "seed": seed, "low": low, "high": high}


#: Special classes that whole numbers have, too.
_WHOLE = ("zero", "one", "tied")


def fits(name, kind):
    """Has a kind of dtype this special class?"""
    if name == "integer_extreme":
        return kind in "iu"
    return kind in "fc" or (kind in "iu" and name in _WHOLE)


def bounds(tensor, kind, seed=0):
    """Lowest and highest value of a tensor whose values are drawn."""
    if kind in "iu":
        least = 0 if kind == "u" else -FREE_INTEGERS
        if tensor["free"]:
            return least, FREE_INTEGERS
        low, high = math.ceil(tensor["low"]), math.floor(tensor["high"])
        if low > high:  # numbers between two whole ones
            low, high = math.floor(tensor["low"]), math.ceil(tensor["high"])
        low = max(low, 0) if kind == "u" else low
        return low, max(low, high)
    if not tensor["free"]:
        return tensor["low"], tensor["high"]
    ranges = FREE_RANGES + ((tensor["low"], tensor["high"]),)
    return ranges[derive(seed, "range") % len(ranges)]


def whole_range(dtype):
    """Lowest and highest number of a dtype; of both, no more than their distance can be told."""
    if kind_of(dtype) in "iu":
        info = np.iinfo(dtype)
        return int(info.min), int(info.max)
    if dtype == "bfloat16":
        largest = 2.0**127 * (2 - 2.0**-7)
    else:
        largest = float(np.finfo(dtype).max)
    largest = min(largest, float(np.finfo("float64").max) / 2)
    return -largest, largest


def explicit(tensor, shape, dtype):
    """The values that a tensor needs, as an array; bfloat16 as float32."""
    stored = "float32" if dtype == "bfloat16" else dtype
    values = tensor["values"]
    if kind_of(tensor["dtype"]) == "c":  # real and imaginary parts
        array = np.asarray(values[0], "float64") + 1j * np.asarray(values[1], "float64")
    else:
        array = np.asarray(values)
    return np.ascontiguousarray(array.astype(stored)).reshape(tuple(shape))


def features(call, choice):
    """What of a draw differs from the sample, as pairs of aspect and class."""
    usual = sample(call)
    found = [
        ("size:" + symbol, str(size))
        for symbol, size in sorted(choice.sizes.items())
        if size != usual.sizes[symbol]
    ]
    if choice.dtype != usual.dtype:
        found.append(("dtype", choice.dtype))
    found.extend(("special", name) for name in choice.special)
    return found


def possible(call):
    """Every pair of aspect and class that ``features`` can give for a call."""
    found = [
        ("size:" + symbol, str(size))
        for symbol, worked in sorted(call["sizes"].items())
        for size in worked[1:]
        if size != worked[0]
    ]
    found.extend(("dtype", name) for name in call["dtypes"][1:])
    found.extend(("special", name) for name in call["special"])
    return found
