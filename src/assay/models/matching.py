"""Two models in different files: which inputs and outputs of theirs are the same.

By name where all names are the same, else by order, else by shape. Where names contradict the order
(``query, key`` and ``key, query_1``), those that tell are matched first, and the rest by order. An
axis of channels may be first in one file and last in the other; whole numbers may stand for
quantised ones, a last axis of two for complex ones. What is not clear is refused.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from assay.gaps import real
from assay.ir import Array
from assay.ir.check import TensorSpec
from assay.models._base import ModelError

How = Literal["name", "order", "shape", "name, then order", "name, then shape"]
#: What exporters put around the name of an input.
_PREFIXES = ("serving_default_",)
_SUFFIXES = (":0",)
#: What tells copies of one name apart.
_COUNTER = re.compile(r"_\d+$")
#: Floats with fewer digits than others.
_NARROW = ("float16", "float32")


class Link(msgspec.Struct, frozen=True):
    """A wanted tensor is the given one at ``source``, with its axes in the order ``axes``
    (as they are, if empty).
    """

    wanted: TensorSpec
    given: TensorSpec
    source: int
    axes: tuple[int, ...] = ()

    def made(self, arrays: Sequence[Array]) -> Array:
        """The wanted array of the given ones, as a model is fed with it."""
        array = self._turned(arrays)
        if _complex(self.wanted) and array.dtype.kind != "c":
            array = array[..., 0] + 1j * array[..., 1]
        return array.astype(self.wanted.dtype, copy=False)

    def answered(self, arrays: Sequence[Array]) -> Array:
        """The same as an answer to compare: with the digits of the wanted type, but with the range
        of its own, so that what overflows in one type only is a difference.
        """
        array = self._turned(arrays)
        if array.dtype.kind != "f" or self.wanted.dtype not in _NARROW:
            return array
        narrow = np.finfo(self.wanted.dtype)
        if array.dtype.itemsize <= narrow.dtype.itemsize:
            return array
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = array.astype(narrow.dtype).astype(array.dtype)
            near = np.abs(rounded - array) <= narrow.eps * np.abs(array)
        return np.where(near, rounded, array)

    def _turned(self, arrays: Sequence[Array]) -> Array:
        """The same in the type that it has, unless it is quantised."""
        array = arrays[self.source]
        if not _complex(self.wanted):
            array = real(array)
        if self.axes and array.ndim == len(self.axes):
            array = np.ascontiguousarray(array.transpose(self.axes))
        if self.given.scale and not self.wanted.scale:
            array = (array.astype("float32") - self.given.zero_point) * self.given.scale
        if self.wanted.scale and not self.given.scale:
            limits = np.iinfo(self.wanted.dtype)
            steps = np.rint(array / self.wanted.scale) + self.wanted.zero_point
            array = np.clip(steps, limits.min, limits.max).astype(self.wanted.dtype)
        return array


class Matching(msgspec.Struct, frozen=True):
    """Each wanted tensor with where it comes from, and by what they were matched."""

    how: How
    links: tuple[Link, ...]

    def made(self, arrays: Sequence[Array]) -> list[Array]:
        """The wanted arrays, in order, of the given ones, as a model is fed with them."""
        return [link.made(arrays) for link in self.links]

    def answered(self, arrays: Sequence[Array]) -> list[Array]:
        """The same as answers to compare, of which nothing is lost."""
        return [link.answered(arrays) for link in self.links]

    @property
    def singly(self) -> bool:
        """Is one instance wanted at a time, where many are given?"""
        return any(
            link.wanted.shape[:1] == (1,) and link.given.shape[:1] == (None,) for link in self.links
        )

    def told(self, towards: Literal["given", "wanted"]) -> str:
        """In words, from the tensors of the first file to those of the other.

        ``towards`` says on which side the other file is.
        """
        pairs = []
        for link in self.links:
            own, other = link.given, link.wanted
            if towards == "given":
                own, other = other, own
            changes = _changes(link, own, other)
            if own.name != other.name or changes:
                pairs.append(f"{own.name} → {other.name}{changes}")
        return f"by {self.how}" + (f": {', '.join(pairs)}" if pairs else "")


def _changes(link: Link, own: TensorSpec, other: TensorSpec) -> str:
    found = []
    if link.axes:
        first = _channels_first(len(link.axes))
        away = (link.axes == first) == (own is link.given)
        found.append("channels last → first" if away else "channels first → last")
    if other.scale != own.scale:
        found.append("quantised" if other.scale else "dequantised")
    return f" ({', '.join(found)})" if found else ""


def matched(
    wanted: Sequence[TensorSpec], given: Sequence[TensorSpec], what: str, names: tuple[str, str]
) -> Matching:
    """How the ``given`` tensors make the ``wanted`` ones; ``ModelError`` if that is not clear.

    ``what`` ("inputs") and ``names`` (of the files that want and give) are for the message.
    """
    if len(wanted) != len(given):
        raise _unclear(wanted, given, what, names)
    for written in (_spelt, _plain):
        places = {written(spec.name): place for place, spec in enumerate(given)}
        same = [places.get(written(spec.name), -1) for spec in wanted]
        if len(places) == len(given) == len(set(same)) and -1 not in same:
            found = _linked(wanted, given, same)
            if found is not None:
                return Matching("name", found)
    telling = _telling(wanted, given)
    by_name: How = "name" if len(telling) == len(given) else "name, then order"
    ways: list[tuple[How, list[int] | None]] = [
        ("order", _rest_by_order(wanted, given, {})),
        (by_name, _rest_by_order(wanted, given, telling)),
        ("shape", _rest_by_shape(wanted, given, {})),
        ("name, then shape", _rest_by_shape(wanted, given, telling)),
    ]
    for how, order in ways:
        found = None if order is None else _linked(wanted, given, order)
        if found is not None:
            return Matching(how, found)
    raise _unclear(wanted, given, what, names)


def _telling(wanted: Sequence[TensorSpec], given: Sequence[TensorSpec]) -> dict[int, int]:
    """The places, wanted and given, of names that both have once, whatever their counters."""
    stems = [[_stem(spec) for spec in side] for side in (wanted, given)]
    both = [stem for stem in stems[0] if stems[0].count(stem) == stems[1].count(stem) == 1]
    return {stems[0].index(stem): stems[1].index(stem) for stem in both}


def _rest_by_order(
    wanted: Sequence[TensorSpec], given: Sequence[TensorSpec], known: dict[int, int]
) -> list[int] | None:
    """Where each wanted one is, in order unless it is known; None if names contradict that."""
    left = iter([place for place in range(len(given)) if place not in known.values()])
    places = [known[place] if place in known else next(left) for place in range(len(wanted))]
    one, two = ([_stem(spec) for spec in side] for side in (wanted, given))
    pairs = [(stem, two[place]) for stem, place in zip(one, places, strict=True)]
    contradicted = any(a != b and (a in two or b in one) for a, b in pairs)
    return None if contradicted else places


def _rest_by_shape(
    wanted: Sequence[TensorSpec], given: Sequence[TensorSpec], known: dict[int, int]
) -> list[int] | None:
    """The same by shape; None if one fits several, or none."""
    left = [place for place in range(len(given)) if place not in known.values()]
    places = []
    for place, spec in enumerate(wanted):
        fitting = [n for n in left if _axes(spec, given[n]) is not None]
        if place not in known and len(fitting) != 1:
            return None
        places.append(known[place] if place in known else fitting[0])
    return places if len(set(places)) == len(given) else None


def _linked(
    wanted: Sequence[TensorSpec], given: Sequence[TensorSpec], places: Sequence[int]
) -> tuple[Link, ...] | None:
    links = []
    for spec, place in zip(wanted, places, strict=True):
        axes = _axes(spec, given[place])
        if axes is None:
            return None
        links.append(Link(spec, given[place], place, axes))
    return tuple(links)


def _axes(wanted: TensorSpec, given: TensorSpec) -> tuple[int, ...] | None:
    """The order of the given axes in which they are those wanted; () as they are, None if none is.

    Sizes that both know decide: (any, any, any, 3) is (any, 3, any, any) with its channels moved.
    """
    if _complex(wanted) != _complex(given):
        wanted, given = _in_parts(wanted), _in_parts(given)
    if not _kind(wanted) & _kind(given):
        return None
    if not wanted.shape or not given.shape:
        return ()  # a file need not say it
    rank = len(given.shape)
    if len(wanted.shape) != rank:
        return None
    orders: list[tuple[int, ...]] = [()]
    if rank >= 3:
        orders += [_channels_first(rank), _channels_last(rank)]
    scores = {order: _score(wanted.shape, given.shape, order) for order in orders}
    best = max(scores.values())
    return next(order for order in orders if scores[order] == best) if best >= 0 else None


def _channels_first(rank: int) -> tuple[int, ...]:
    return (0, rank - 1, *range(1, rank - 1))


def _channels_last(rank: int) -> tuple[int, ...]:
    return (0, *range(2, rank), 1)


def _score(
    wanted: tuple[int | None, ...], given: tuple[int | None, ...], order: tuple[int, ...]
) -> int:
    """How many sizes both know and agree on; -1 if they disagree on one."""
    turned = tuple(given[axis] for axis in order) if order else given
    both = [(a, b) for a, b in zip(wanted, turned, strict=True) if a is not None and b is not None]
    return -1 if any(a != b for a, b in both) else len(both)


def _kind(spec: TensorSpec) -> set[str]:
    """What kinds of numbers it can hold: quantised ones stand for real numbers, too."""
    kind = {"f": "real", "b": "truth", "c": "complex"}.get(_letter(spec.dtype), "whole")
    return {kind, "real"} if spec.scale else {kind}


def _letter(dtype: str) -> str:
    return "f" if "float" in dtype else np.dtype(dtype).kind


def _complex(spec: TensorSpec) -> bool:
    return spec.dtype.startswith("complex")


def _in_parts(spec: TensorSpec) -> TensorSpec:
    """Complex numbers as ONNX has them: real and imaginary parts along a last axis."""
    if not _complex(spec):
        return spec
    shape = (*spec.shape, 2) if spec.shape else ()
    dtype = "float32" if spec.dtype == "complex64" else "float64"
    return TensorSpec(spec.name, shape, dtype)


def _stem(spec: TensorSpec) -> str:
    return _COUNTER.sub("", _plain(spec.name))


def _spelt(name: str) -> str:
    """A name as formats agree on it: ``call:2`` is ``call_2`` in another."""
    return re.sub(r"\W", "_", name)


def _plain(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def _unclear(
    wanted: Sequence[TensorSpec], given: Sequence[TensorSpec], what: str, names: tuple[str, str]
) -> ModelError:
    one, two = (
        ", ".join(f"{spec.name} {_shape(spec)}" for spec in specs) or "none"
        for specs in (given, wanted)
    )
    return ModelError(
        f"the {what} of {names[1]} and {names[0]} do not match by name, order or shape: {one}; "
        f"{two}. Export them with the same {what}."
    )


def _shape(spec: TensorSpec) -> str:
    sizes = "×".join("any" if size is None else str(size) for size in spec.shape)
    return f"{spec.dtype}[{sizes}]"
