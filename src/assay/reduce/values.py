"""Plainer elements, as far as the op's domain allows: 0, 1, small whole numbers, few others."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from assay.ir import Array, Case, derive
from assay.ir.transform import with_arrays, with_plain_upstream
from assay.ops import Domain
from assay.ops.placing import UNKNOWN_CALL
from assay.ops.values import ordinary, value_classes
from assay.reduce.ddmin import ddmin
from assay.reduce.order import cost
from assay.reduce.search import Search

#: Domains whose elements may be changed one by one.
_FREE = ("uniform", "ids")
#: At most this many elements are looked at one by one.
_ONE_BY_ONE = 12
_FILLERS = (0, 1, 2, 0.5, -1)
_DIFFERENT = (1, 2, 0.5, -1, 1.5, -2, -0.5, -1.5, 3, 0.25, 0.75, 4, 5, 6, 7, 8, 9, -3, -4, -5)


def plainer_values(search: Search) -> None:
    """Every input: the whole array, then fewer elements of its own, then each of those."""
    for item in search.case.graph.inputs:
        name = item.name
        domain = search.domain(name)
        search.first(_wholly(search.case, name, domain))
        if domain.kind in _FREE:
            _fewer(search, name, domain)
            _each(search, name, domain)


def filled_arrays(search: Search) -> None:
    """Two elements along each axis that has none, where the fault does not need it to be empty."""
    case = search.case
    arrays: dict[str, Array] = {}
    for place, item in enumerate(case.graph.inputs):
        if 0 not in item.shape:
            continue
        shape = tuple(length or 2 for length in item.shape)
        domain = search.domain(item.name)
        if domain.low > domain.high:
            return
        try:
            recipe = ordinary(domain, item.dtype, derive(place, "filled"))
            arrays[item.name] = recipe.materialise(shape, item.dtype)
        except UNKNOWN_CALL:
            return
    if not arrays:
        return
    # Gradients of nothing do not fit any more.
    search.accept(with_plain_upstream(with_arrays(case, arrays)))


def finite_values(search: Search) -> None:
    """Ordinary numbers, all different, where NaN and infinities are: all at once, then each kind.

    Before anything else gets smaller: a fault that needs no special values must not end with
    them, where another one may wait.
    """
    kinds = (np.isfinite, _not_nan, _not_infinite)
    search.first(case for kept in kinds for case in _finite(search, kept))


def _not_nan(array: Array) -> Array:
    return ~np.isnan(array)


def _not_infinite(array: Array) -> Array:
    return ~np.isinf(array)


def _finite(search: Search, kept: Callable[[Array], Array]) -> Iterator[Case]:
    changed = {}
    for name, array in search.case.input_arrays().items():
        if array.dtype.kind != "f" or kept(array).all():
            continue
        domain = search.domain(name)
        places = np.flatnonzero(~kept(array))
        values = _usual(array, domain, len(places))
        if domain.kind not in _FREE or len(values) < len(places):
            return
        filled = array.copy()
        filled.reshape(-1)[places] = values
        changed[name] = filled
    if changed:
        yield with_arrays(search.case, changed)


def _usual(original: Array, domain: Domain, count: int) -> list[float]:
    """So many different numbers of the domain that are not in the array, the plainest first."""
    there = set(original.reshape(-1).tolist())
    offered = [*_DIFFERENT, *(sign * (1 + k / 8) for k in range(8 * count) for sign in (1, -1))]
    spread = [domain.low + (domain.high - domain.low) * (k + 1) / (count + 2) for k in range(count)]
    with np.errstate(over="ignore"):
        rounded = dict.fromkeys(original.dtype.type(value).item() for value in (*offered, *spread))
    legal = (
        value
        for value in rounded
        if value not in there and _legal(np.array([value], original.dtype), original, domain)
    )
    return list(islice(legal, count))


def _legal(array: Array, original: Array, domain: Domain) -> bool:
    """Is every element in the domain, or one of those that are there already?"""
    classes = value_classes(domain, array.dtype.name)
    low, high = domain.low, domain.high
    if array.dtype.kind in "iu" and domain.kind != "ids":
        low, high = domain.whole or (4 * low, 4 * high)
    values = array.astype("float64")
    legal = np.isin(array, original) | ((values >= low) & (values <= high))
    if "zero" in classes:
        legal |= values == 0
    if "one" in classes:
        legal |= values == 1
    return bool(legal.all())


def _wholly(case: Case, name: str, domain: Domain) -> Iterator[Case]:
    original = case.input_arrays()[name]
    for array in sorted(_arrays(original, domain), key=cost):
        if domain.kind not in _FREE or _legal(array, original, domain):
            yield with_arrays(case, {name: array})


def _arrays(original: Array, domain: Domain) -> list[Array]:
    """Arrays that could stand for this one."""
    shape, dtype = original.shape, original.dtype
    if not original.size:
        return []
    if domain.kind in ("invertible", "symmetric", "positive_definite", "lower", "upper"):
        identity = np.broadcast_to(np.eye(shape[-2], shape[-1]), shape)
        return [identity.astype(dtype), np.round(original).astype(dtype)]
    if domain.kind in ("one_hot", "probabilities"):
        first = np.zeros(shape)
        first[..., 0] = 1.0
        return [first.astype(dtype), np.full(shape, 1 / shape[-1]).astype(dtype)]
    if domain.kind == "signs":
        return [np.ones(shape, dtype)]
    if domain.kind == "ordered":
        steps = np.linspace(domain.low, domain.high, max(2, shape[-1]))[: shape[-1]]
        return [np.broadcast_to(steps, shape).astype(dtype)]
    if domain.kind not in _FREE:
        return []
    found = [np.full(shape, value).astype(dtype) for value in _FILLERS if _fits(value, dtype)]
    if dtype.kind == "b":
        return found
    found.append(np.arange(original.size).reshape(shape).astype(dtype))
    found += _distinct(original, domain)
    with np.errstate(all="ignore"):
        found += [np.round(original), np.round(original, 1)] if dtype.kind == "f" else []
        found.append(np.sign(original).astype(dtype))
    return found


def _distinct(original: Array, domain: Domain) -> list[Array]:
    """As many different small numbers as there are elements, without 0."""
    offered = [value for value in _DIFFERENT if _fits(value, original.dtype)]
    legal = [v for v in offered if _legal(np.array([v], original.dtype), original, domain)]
    if original.size > len(legal):
        return []
    return [np.array(legal[: original.size], original.dtype).reshape(original.shape)]


def _fits(value: float, dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "f":
        return True
    return float(value).is_integer() and (value >= 0 or dtype.kind == "i")


def _fewer(search: Search, name: str, domain: Domain) -> None:
    """ddmin over the elements that are not the plainest one."""
    original = search.case.input_arrays()[name]
    filler = _filler(original, domain)
    if filler is None:
        return
    flat = original.reshape(-1)
    own = [place for place in range(flat.size) if _is_not(flat[place], filler)]
    if not own:
        return
    case = search.case

    def shows(kept: list[int]) -> bool:
        array = np.full(original.shape, filler).astype(original.dtype)
        array.reshape(-1)[kept] = flat[kept]
        return search.accept(with_arrays(case, {name: array}))

    if len(own) > 1:
        ddmin(own, shows)


def _is_not(element: Any, filler: float) -> bool:
    same_sign = np.signbit(np.real(element)) == np.signbit(filler)
    return not (element == filler and same_sign)


def _filler(original: Array, domain: Domain) -> float | None:
    """The plainest value that is legal everywhere."""
    for value in _FILLERS:
        if _fits(value, original.dtype):
            array = np.full(original.shape, value).astype(original.dtype)
            if _legal(array, original, domain):
                return value
    return None


def _each(search: Search, name: str, domain: Domain) -> None:
    """Each element that is still hard to read, by itself."""
    flat = search.case.input_arrays()[name].reshape(-1)
    dearest = sorted(range(flat.size), key=lambda place: -cost(flat[place : place + 1]))
    for place in dearest[:_ONE_BY_ONE]:
        search.first(_with_element(search.case, name, place, domain))


def _with_element(case: Case, name: str, place: int, domain: Domain) -> Iterator[Case]:
    original = case.input_arrays()[name]
    element = original.reshape(-1)[place]
    if original.dtype.kind == "c":
        return
    options: list[float] = [0, *_DIFFERENT[:8]]
    if original.dtype.kind == "f" and np.isfinite(element):
        options += [float(np.round(element)), float(np.round(element, 1))]
    for value in dict.fromkeys(options):
        if not _fits(value, original.dtype):
            continue
        array = original.copy()
        array.reshape(-1)[place] = value
        if _legal(array, original, domain):
            yield with_arrays(case, {name: array})
