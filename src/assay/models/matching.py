"""Two models in different files: which inputs and outputs of theirs are the same.

By name where all names are the same, else by order, else by shape. An axis of channels may be
first in one file and last in the other; whole numbers may stand for quantised ones. What is not
clear is refused.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from assay.ir import Array
from assay.ir.check import TensorSpec
from assay.models._base import ModelError

How = Literal["name", "order", "shape"]
#: What exporters put around the name of an input.
_PREFIXES = ("serving_default_",)
_SUFFIXES = (":0",)


class Link(msgspec.Struct, frozen=True):
    """A wanted tensor is the given one at ``source``, with its axes in the order ``axes``
    (as they are, if empty).
    """

    wanted: TensorSpec
    given: TensorSpec
    source: int
    axes: tuple[int, ...] = ()

    def made(self, arrays: Sequence[Array]) -> Array:
        """The wanted array of the given ones."""
        array = arrays[self.source]
        if self.axes and array.ndim == len(self.axes):
            array = np.ascontiguousarray(array.transpose(self.axes))
        if self.given.scale and not self.wanted.scale:
            array = (array.astype("float32") - self.given.zero_point) * self.given.scale
        if self.wanted.scale and not self.given.scale:
            limits = np.iinfo(self.wanted.dtype)
            steps = np.rint(array / self.wanted.scale) + self.wanted.zero_point
            array = np.clip(steps, limits.min, limits.max)
        return array.astype(self.wanted.dtype, copy=False)


class Matching(msgspec.Struct, frozen=True):
    """Each wanted tensor with where it comes from, and by what they were matched."""

    how: How
    links: tuple[Link, ...]

    def made(self, arrays: Sequence[Array]) -> list[Array]:
        """The wanted arrays, in order, of the given ones."""
        return [link.made(arrays) for link in self.links]

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
    places = {_plain(spec.name): place for place, spec in enumerate(given)}
    by_name = [places.get(_plain(spec.name), -1) for spec in wanted]
    if len(places) == len(given) and -1 not in by_name:
        found = _linked(wanted, given, by_name)
        if found is not None:
            return Matching("name", found)
    found = _linked(wanted, given, range(len(given)))
    if found is not None:
        return Matching("order", found)
    fitting = [
        [n for n, own in enumerate(given) if _axes(spec, own) is not None] for spec in wanted
    ]
    if all(len(own) == 1 for own in fitting) and len({own[0] for own in fitting}) == len(given):
        found = _linked(wanted, given, [own[0] for own in fitting])
        assert found is not None  # each fits
        return Matching("shape", found)
    raise _unclear(wanted, given, what, names)


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
    kind = {"f": "real", "b": "truth"}.get(_letter(spec.dtype), "whole")
    return {kind, "real"} if spec.scale else {kind}


def _letter(dtype: str) -> str:
    return "f" if "float" in dtype else np.dtype(dtype).kind


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
