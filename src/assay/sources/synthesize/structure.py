"""The shape of a model before it has layers: a DAG with one source and one sink."""

from collections.abc import Sequence

import msgspec

from assay.ops import Draw

#: How likely a vertex of a chain reads the one before it, and how many skips there are per vertex.
_NEXT_CHANCE = 0.9
_SKIPS = 0.3
#: Vertices of one cell.
_SMALLEST_CELL, _LARGEST_CELL = 2, 5


class Skeleton(msgspec.Struct, frozen=True):
    """For each vertex, in topological order, the vertices it reads.

    Vertex 0 is the only one that reads none, the last is the only one nobody
    reads. ``reductions`` are the ends of reduction cells: their layers should
    make tensors smaller.
    """

    predecessors: tuple[tuple[int, ...], ...]
    reductions: tuple[int, ...] = ()


def chain_with_skips(draw: Draw, most: int) -> Skeleton:
    """Vertices in a row, nearly all linked to the next, and arbitrary skips forward."""
    count = draw.between(min(2, most), most)
    return Skeleton(_linked(_random_links(draw, count), count, draw))


def cells(draw: Draw, most: int) -> Skeleton:
    """Up to ``most`` computation and reduction cells in sequence, each a small DAG."""
    predecessors: list[tuple[int, ...]] = []
    reductions = []
    for _ in range(draw.between(1, most)):
        size = draw.between(_SMALLEST_CELL, _LARGEST_CELL)
        first = len(predecessors)
        for place, earlier in enumerate(_linked(_random_links(draw, size), size, draw)):
            inside = tuple(first + vertex for vertex in earlier)
            before = (first - 1,) if first else ()
            predecessors.append(inside if place else before)
        if draw.chance(0.5):
            reductions.append(len(predecessors) - 1)
    return Skeleton(tuple(predecessors), tuple(reductions))


def single_vertex() -> Skeleton:
    """One layer and nothing else."""
    return Skeleton(((),))


def _random_links(draw: Draw, count: int) -> list[set[int]]:
    links: list[set[int]] = [set() for _ in range(count)]
    for vertex in range(1, count):
        if draw.chance(_NEXT_CHANCE):
            links[vertex].add(vertex - 1)
    for _ in range(int(_SKIPS * count + draw.below(2))):
        if count > 2:
            end = draw.between(2, count - 1)
            links[end].add(draw.below(end - 1))
    return links


def _linked(links: Sequence[set[int]], count: int, draw: Draw) -> tuple[tuple[int, ...], ...]:
    """The links, and one more for every vertex that would be a further source or sink."""
    links = [set(item) for item in links]
    for vertex in range(1, count):
        if not links[vertex]:
            links[vertex].add(draw.below(vertex))
    for vertex in range(count - 1):
        if not any(vertex in later for later in links[vertex + 1 :]):
            links[draw.between(vertex + 1, count - 1)].add(vertex)
    return tuple(tuple(sorted(item)) for item in links)
