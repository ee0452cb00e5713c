"""Shorter axes, fewer axes, and the usual dtypes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from assay.ir import Array, Case, Dot, Explicit
from assay.ir.transform import (
    recast_case,
    renumbered,
    squeezed_case,
    with_arrays,
    with_parameters,
    with_shorter_upstream,
)
from assay.ops import Context, Draw
from assay.ops.placing import UNKNOWN_CALL, placed, shapes_of
from assay.reduce.catalogued import FIXED, resized
from assay.reduce.ddmin import ddmin
from assay.reduce.search import Search

#: Axes of inputs that are cut together: (input, axis).
Group = tuple[tuple[str, int], ...]
_LEAPS = (1, 2, 3, 5)
_DTYPES = ("float32", "int32", "bool")


def shorter_axes(search: Search) -> None:
    """All axes at once to 1, 2, 3 or 5; then each group of axes by ddmin over its indices."""
    if not _fixed(search):
        search.first(_leaps(search))
    done: set[Group] = set()
    while True:
        group = next((group for group in _cuttable(search) if group not in done), None)
        if group is None or search.exhausted:
            return
        done.add(group)
        _shorten(search, group)


def _fixed(search: Search) -> set[str]:
    """Inputs of a call of a catalogue that it needs as they are."""
    return {name for name, domain in search.ranges.items() if domain == FIXED}


def _cuttable(search: Search) -> list[Group]:
    """The groups of axes that may be cut.

    Of a call of a catalogue all axes of one length, whatever may depend on their being alike: some
    kernels look at the sizes of one argument only, and read beyond the end of others.
    """
    groups = _groups(search.case)
    if not search.ranges:
        return groups
    fixed = _fixed(search)
    whole = set(_together(search.case, lambda place, length: length))
    return [group for group in groups if group in whole and not fixed & {name for name, _ in group}]


def _leaps(search: Search) -> Iterator[Case]:
    case = search.case
    for length in _LEAPS:
        for spared in ((), (0,)):
            arrays = {
                name: array[
                    tuple(slice(None if axis in spared else length) for axis in range(array.ndim))
                ]
                for name, array in case.input_arrays().items()
            }
            yield from _cut(search, arrays)


def _groups(case: Case) -> list[Group]:
    """Same axis of all inputs, all axes of one length, each axis alone; longest first."""
    found: dict[Group, int] = {}
    for key in (
        lambda place, length: (place[1], length),
        lambda place, length: length,
        lambda place, length: place,
    ):
        for group, length in _together(case, key).items():
            found.setdefault(group, length)
    return sorted(found, key=lambda group: (-len(group), -found[group]))


def _together(case: Case, key: Callable[[tuple[str, int], int], Any]) -> dict[Group, int]:
    """Groups of axes that have the same ``key``, and the length of their first."""
    lengths = {
        (item.name, axis): length
        for item in case.graph.inputs
        for axis, length in enumerate(item.shape)
        if length > 1
    }
    found: dict[Any, list[tuple[str, int]]] = {}
    for place, length in lengths.items():
        found.setdefault(key(place, length), []).append(place)
    return {tuple(group): lengths[group[0]] for group in found.values()}


def _shorten(search: Search, group: Group) -> None:
    shapes = {item.name: item.shape for item in search.case.graph.inputs}
    name, axis = group[0]
    length = shapes[name][axis]
    whole = search.case

    def shows(kept: Sequence[int]) -> bool:
        return search.first(_shorter(search, group, kept, whole))

    indices = list(range(length))
    if any(shows(indices[:count]) for count in (1, 2, 3) if count < length):
        return
    ddmin(indices, shows)


def _shorter(search: Search, group: Group, kept: Sequence[int], whole: Case) -> Iterator[Case]:
    cut = _cut(search, _taken(whole, group, kept), whole)
    if not search.ranges:
        yield from cut
        return
    name, axis = group[0]
    shapes = {item.name: item.shape for item in whole.graph.inputs}
    for case in cut:
        yield resized(case, shapes[name][axis], len(kept))
        yield case


def _taken(case: Case, group: Group, kept: Sequence[int]) -> dict[str, Array]:
    arrays = case.input_arrays()
    for name, axis in group:
        arrays[name] = np.take(arrays[name], list(kept), axis=axis)
    return arrays


def _cut(search: Search, arrays: dict[str, Array], case: Case | None = None) -> Iterator[Case]:
    """The case with these inputs; upstream gradients and parameters that follow the shapes."""
    case = case or search.case
    shorter = with_arrays(case, {name: np.ascontiguousarray(a) for name, a in arrays.items()})
    for candidate in (shorter, _following(search, case, shorter)):
        if candidate is not None and search.rules_allow(candidate):
            fitted = _fitted(search, candidate)
            if fitted is not None:
                yield fitted
            return
    yield shorter


def _following(search: Search, old: Case, new: Case) -> Case | None:
    """The new case with parameters that the spec made from the old shapes made from the new."""
    if len(new.graph.nodes) != 1:
        return None
    (node,) = new.graph.nodes
    spec = search.vocabulary.get(node.op)
    if spec is None:
        return None
    try:
        call = placed(spec, node)
        before, after = (
            tuple({item.name: item.shape for item in case.graph.inputs}[n] for n in call.tensors)
            for case in (old, new)
        )
    except UNKNOWN_CALL:
        return None
    params = dict(node.params)
    for item in spec.parameters:
        if item.name not in params or item.name == search.spoilt:
            continue
        for choice in (*item.valid, *item.boundary):
            if choice.make is None:
                continue
            others = spec.complete({k: v for k, v in call.params.items() if k != item.name})
            try:
                then, now = (
                    choice.make(Context(Draw(0), shapes, others, call.slots))
                    for shapes in (before, after)
                )
            except UNKNOWN_CALL:
                continue
            if _plain(then) == params[item.name]:
                params[item.name] = _plain(now)
                break
    return with_parameters(new, node, params)


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _fitted(search: Search, case: Case) -> Case | None:
    """The case if its upstream gradients fit, or with those cut to the shapes of its outputs."""
    if not isinstance(case.loss, Dot) or not any(
        isinstance(item, Explicit) for item in case.loss.upstream
    ):
        return case
    try:
        shapes = shapes_of(case, search.vocabulary, search.spoilt)
    except UNKNOWN_CALL:
        return None
    return with_shorter_upstream(case, shapes)


def fewer_axes(search: Search) -> None:
    """Without an axis of length 1 that all inputs of the highest rank share."""
    while search.first(_squeezed(search)):
        pass


def _squeezed(search: Search) -> Iterator[Case]:
    case = search.case
    rank = max((len(item.shape) for item in case.graph.inputs), default=0)
    for axis in range(rank):
        candidate = squeezed_case(case, axis)
        if candidate is None:
            continue
        yield from _fit_or_nothing(search, candidate)
        if len(case.graph.nodes) == 1:
            (node,) = candidate.graph.nodes
            params = renumbered(node, axis)
            if params != node.params:
                yield from _fit_or_nothing(search, with_parameters(candidate, node, params))


def _fit_or_nothing(search: Search, case: Case) -> Iterator[Case]:
    fitted = _fitted(search, case) if search.rules_allow(case) else case
    if fitted is not None:
        yield fitted


def usual_dtypes(search: Search) -> None:
    """Inputs of an unusual dtype in a usual one, all that share it at once."""
    for dtype in dict.fromkeys(item.dtype for item in search.case.graph.inputs):
        search.first(_recast(search.case, dtype))


def _recast(case: Case, dtype: str) -> Iterator[Case]:
    for other in _DTYPES:
        if other == dtype:
            return
        yield recast_case(case, dtype, other)
