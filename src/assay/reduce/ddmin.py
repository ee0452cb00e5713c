"""ddmin: the smallest part of a list that still shows something.

Written here because picire's last release (21.8) imports ``pkg_resources``, which
setuptools no longer has.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def ddmin(items: Sequence[Item], shows: Callable[[list[Item]], bool]) -> list[Item]:
    """A part of ``items``, in their order, of which no single item can be left out.

    ``items`` themselves are taken to show it. ``shows`` must be deterministic; if
    it begins to say no to everything (a budget is spent), what was reached is
    returned.
    """
    kept = list(items)
    parts = 2
    while len(kept) >= 2:
        length = -(-len(kept) // parts)
        pieces = [kept[start : start + length] for start in range(0, len(kept), length)]
        rest = [_without(pieces, position) for position in range(len(pieces))]
        # With two pieces each is the rest of the other.
        candidates = pieces if len(pieces) <= 2 else [*pieces, *rest]
        found = next((candidate for candidate in candidates if shows(candidate)), None)
        if found is not None:
            parts = 2 if found in pieces else max(parts - 1, 2)
            kept = found
        elif parts >= len(kept):
            break
        else:
            parts = min(2 * parts, len(kept))
    return kept


def _without(pieces: Sequence[list[Item]], position: int) -> list[Item]:
    return [item for place, piece in enumerate(pieces) if place != position for item in piece]
