"""Values and arrays as Python code, short enough to read and exact to the bit."""

import hashlib
import math
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Array, Integers, Recipe, Uniform

#: Longer arrays are drawn from their seed instead, where the recipe is that simple.
LITERAL_ELEMENTS = 40
_WIDTH = 100
_NESTED_WIDTH = 72


def value_code(value: Any, lists: bool = False) -> str:
    """A parameter as Python code. Lists reach the library as tuples, unless ``lists``."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, (list, tuple)):
        items = [value_code(item) for item in value]
        if lists:
            return f"[{', '.join(items)}]"
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, Mapping):
        if "$op" in value:
            return _nested_op(value["$op"], value.get("params", {}))
        return "{" + ", ".join(f"{value_code(k)}: {value_code(v)}" for k, v in value.items()) + "}"
    return repr(value)


def keywords_code(params: Mapping[str, Any], lists: bool = False) -> list[str]:
    """``name=value`` for each parameter."""
    return [f"{name}={value_code(value, lists)}" for name, value in params.items()]


def is_class(op: str) -> bool:
    """Is the op an object that is made and then called, rather than a function?"""
    space, _, own = op.rpartition(".")
    return own[:1].isupper() and not space.endswith("raw_ops")


def _nested_op(op: str, params: Mapping[str, Any]) -> str:
    if is_class(op):
        return f"{op}({', '.join(keywords_code(params))})"
    return f"lambda x: {op}(x, {', '.join(keywords_code(params))})" if params else op


def _quoted(value: str) -> str:
    code = repr(value)
    if code.startswith('"'):
        return code
    body = code[1:-1].replace("\\'", "'").replace('"', '\\"')
    return f'"{body}"'


def array_code(array: Array, recipe: Recipe | None = None) -> str:
    """An expression on one line that gives exactly this array.

    ``recipe`` is how the array was made: a long one is drawn again from it.
    """
    dtype = f'"{array.dtype.name}"'
    if array.size == 0:
        return f"np.zeros({array.shape}, {dtype})"
    if array.size > 3 and _constant(array):
        return _filled(array, dtype)
    if (
        array.size > 3
        and array.dtype != bool
        and _same(np.arange(array.size).astype(array.dtype), array.reshape(-1))
    ):
        code = f"np.arange({array.size}, dtype={dtype})"
        return code if array.ndim == 1 else f"{code}.reshape({array.shape})"
    if array.size > LITERAL_ELEMENTS and recipe is not None:
        drawn = _drawn(recipe, array)
        if drawn is not None:
            return drawn
    nested = _nested(array)
    if len(nested) <= _NESTED_WIDTH or array.ndim <= 1:
        return f"np.array({nested}, {dtype})"
    flat = _nested(array.reshape(-1))
    return f"np.array({flat}, {dtype}).reshape({array.shape})"


def element_code(element: Any) -> str:
    """One element of an array as Python code, in the shortest form that its dtype reads back."""
    if element.dtype.kind == "c":
        parts = f"{element_code(element.real)}, {element_code(element.imag)}"
        return f"complex({parts})"
    if element.dtype.kind != "f":
        return repr(element.item())
    if np.isnan(element):
        return "np.nan"
    if np.isinf(element):
        return "np.inf" if element > 0 else "-np.inf"
    text = str(element)
    # Shortest for the dtype itself; through a float64 it may round twice.
    return text if element.dtype.type(float(text)) == element else repr(float(element))


def _constant(array: Array) -> bool:
    first = array.reshape(-1)[0]
    return _same(np.full(array.shape, first, array.dtype), array)


def _filled(array: Array, dtype: str) -> str:
    first = array.reshape(-1)[0]
    if array.dtype.kind != "b" and first in (0, 1) and not np.signbit(np.real(first)):
        return f"np.{'ones' if first else 'zeros'}({array.shape}, {dtype})"
    return f"np.full({array.shape}, {element_code(first)}, {dtype})"


def _same(first: Array, second: Array) -> bool:
    """The same bits, but any NaN for any other."""
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    if first.dtype.kind not in "fc":
        return bool((first == second).all())
    unequal = np.ascontiguousarray(first) != np.ascontiguousarray(second)
    if unequal.any() and not (np.isnan(first) & np.isnan(second))[unequal].all():
        return False
    signs = np.signbit(first.real) == np.signbit(second.real)
    return bool((signs | np.isnan(first)).all())


def _nested(array: Array) -> str:
    if array.ndim == 0:
        return element_code(array[()])
    return f"[{', '.join(_nested(item) for item in array)}]"


def wrapped(statement: str) -> str:
    """A statement about arrays on as many lines as it needs."""
    lines = textwrap.wrap(
        statement, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def _drawn(recipe: Recipe, array: Array) -> str | None:
    """The draw that the recipe makes, as code; None unless it gives exactly this array."""
    if not isinstance(recipe, (Uniform, Integers)) or array.dtype.kind not in "fiu":
        return None
    # As in assay_worker.recipes: the generator is seeded with the hash of the seed.
    digest = hashlib.sha256(str(recipe.seed).encode("utf-8")).digest()
    seeds = np.frombuffer(digest, dtype="<u4").tolist()
    draws = np.random.RandomState(seeds).random_sample(array.shape)
    sample = f"np.random.RandomState({seeds}).random_sample({array.shape})"
    cast = f'.astype("{array.dtype.name}")'
    low = recipe.low
    if isinstance(recipe, Integers):
        span = recipe.high - low + 1
        made, code = np.floor(low + float(span) * draws), f"np.floor({low} + {span}.0 * {sample})"
    else:
        span = recipe.high - low
        made, code = low + span * draws, f"({low} + {span!r} * {sample})"
    with np.errstate(over="ignore", invalid="ignore"):
        exact = _same(made.astype(array.dtype), array)
    return code + cast if exact else None
