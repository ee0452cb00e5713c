"""What individuals of a search are worth, and on which of them something shows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import msgspec
import numpy as np

from assay.ir import Array, Goal

#: Numbers are apart if they differ by more than this share of the largest: what a screen of a
#: case passes (``assay.gaps``) need not be looked at.
_SHARE = 1e-3


class Seen(NamedTuple):
    """What one target gave for individuals: the logits of each (NaN if none), the first node that
    gave NaN, who failed, and who killed it."""

    outputs: Array
    nan: list[str]
    failed: dict[int, str]
    died: dict[int, str]


class Failing(msgspec.Struct, frozen=True):
    """An individual on which something shows: what, on which targets, and where."""

    row: int
    what: str
    targets: tuple[str, ...]
    node: str = ""

    @property
    def key(self) -> tuple[str, tuple[str, ...], str]:
        """What individuals that show the same have in common."""
        return self.what, self.targets, self.node


def fitness(seen: Mapping[str, Seen], goal: Goal, count: int) -> Array:
    """The published fitness of each individual.

    Of an inconsistency the mean absolute difference of the logits on two targets, of NaN the
    difference of the largest and the smallest of them; the largest of all targets.
    """
    found = np.zeros(count)
    with np.errstate(all="ignore"):
        if goal == "nan":
            for item in seen.values():
                if item.outputs.shape[1]:
                    spread = item.outputs.max(axis=1) - item.outputs.min(axis=1)
                    found = np.fmax(found, spread)
                found[[row for row, node in enumerate(item.nan) if node]] = np.inf
            return found
        for first, second in _pairs(seen):
            apart = np.abs(first.outputs - second.outputs).mean(axis=1)
            found = np.fmax(found, apart)
    return found


def failing(seen: Mapping[str, Seen], goal: Goal, count: int, published: bool) -> list[Failing]:
    """The individuals on which something shows, in their order.

    ``published``: an inconsistency is another label; else other numbers.
    """
    found = []
    for row in range(count):
        for target, item in seen.items():
            if row in item.died:
                found.append(Failing(row, "crash", (target,)))
        failed = tuple(target for target, item in seen.items() if row in item.failed)
        if failed and len(failed) < len(seen):
            found.append(Failing(row, "error", failed))
        lacking = {target: item.nan[row] for target, item in seen.items() if item.nan[row]}
        if lacking and (goal == "nan" or len(lacking) < len(seen)):
            found.append(Failing(row, "nan", tuple(lacking), next(iter(lacking.values()))))
    named = {id(item): target for target, item in seen.items()}
    for first, second in _pairs(seen):
        pair = (named[id(first)], named[id(second)])
        found += [Failing(int(row), "apart", pair) for row in _apart(first, second, published)]
    return sorted(found, key=lambda item: item.row)


def _apart(first: Seen, second: Seen, published: bool) -> Array:
    """The rows on which two targets differ."""
    one, other = first.outputs, second.outputs
    numbers = ~np.isnan(one).any(axis=1) & ~np.isnan(other).any(axis=1)
    with np.errstate(all="ignore"):
        if published:
            differ = one.argmax(axis=1) != other.argmax(axis=1)
        else:
            largest = np.fmax(np.abs(one).max(axis=1), np.abs(other).max(axis=1))
            differ = np.abs(one - other).max(axis=1) > _SHARE * largest
    return np.asarray(np.flatnonzero(numbers & differ))


def _pairs(seen: Mapping[str, Seen]) -> Iterator[tuple[Seen, Seen]]:
    """Two targets that give as many logits."""
    for first, second in combinations(seen.values(), 2):
        if first.outputs.shape == second.outputs.shape and first.outputs.shape[1]:
            yield first, second


def seen_of(parts: Sequence[tuple[Sequence[int], Mapping[str, Any] | str]], count: int) -> Seen:
    """What a target said of parts of a population, each an answer or what it died of."""
    widths = [item["outputs"].shape[1] for _, item in parts if not isinstance(item, str)]
    outputs = np.full((count, max(widths, default=0)), np.nan)
    nan, failed, died = [""] * count, {}, {}
    for rows, item in parts:
        if isinstance(item, str):
            died.update(dict.fromkeys(rows, item))
            continue
        if item["outputs"].shape[1]:
            outputs[list(rows)] = item["outputs"]
        for place, row in enumerate(rows):
            nan[row] = item["nan"][place]
            if str(place) in item["failures"]:
                failed[row] = item["failures"][str(place)]["message"]
    return Seen(outputs, nan, failed, died)
