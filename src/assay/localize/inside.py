"""Where inside of a library a fault lies: its calls on a wrong target and on a right one.

The front end of a library is the same on all of its backends. Of the calls that both sides make,
the innermost one that is given the same and gives something else is to blame.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from assay.gaps import SCREEN, gap, in_parts
from assay.ir import Array

#: The part of a path that names the backend.
_BACKEND = re.compile(r"^(src/backend/)(?!common/)\w+(/)")
#: Frames that a call comes through whatever it calls.
_PLUMBING = re.compile(
    r"^keras/(src/utils/|src/layers/layer\.py|src/ops/operation\.py|src/tree/|src/backend/common/"
    r"|src/backend/\w+/(layer|sparse)\.py|engine/|legacy/|models\.py)"
)


class Call(msgspec.Struct, frozen=True):
    """A call of a library's own function; ``parent`` is the index of the one it was made in."""

    function: str
    parent: int
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]

    @property
    def shared(self) -> str:
        """Its name whatever the backend: ``src/backend/*/numpy.py:add``."""
        return _BACKEND.sub(r"\1*\2", self.function)

    @property
    def of_backend(self) -> bool:
        """Is it the backend's own, behind the front end?"""
        return _BACKEND.match(self.function) is not None


class Frame(msgspec.Struct, frozen=True):
    """A line that an exception came through; ``file`` begins with the package."""

    file: str
    function: str
    line: str

    @property
    def plumbing(self) -> bool:
        """Does every call come through it?"""
        return _PLUMBING.match(self.file) is not None


class Inside(msgspec.Struct, frozen=True):
    """What a worker recorded of a case; ``others`` are calls of a rule's second program."""

    calls: tuple[Call, ...]
    frames: tuple[Frame, ...]
    others: tuple[Call, ...] = ()


def inside_of(answer: Mapping[str, Any]) -> Inside:
    """The record in a worker's answer."""
    calls, others = (
        tuple(
            Call(item["function"], item["parent"], tuple(item["inputs"]), tuple(item["outputs"]))
            for item in answer.get(name, ())
        )
        for name in ("calls", "others")
    )
    return Inside(calls, tuple(Frame(**item) for item in answer["frames"]), others)


def culprit(wrong: Sequence[Call], right: Sequence[Call]) -> Call | None:
    """The innermost call of the wrong side that is given the same as on the other and gives
    something else; None if there is none.
    """
    return _between(wrong, -1, right, -1)


def _between(wrong: Sequence[Call], mine: int, right: Sequence[Call], other: int) -> Call | None:
    """The culprit among the calls that were made in these two."""
    children = [i for i, call in enumerate(wrong) if call.parent == mine]
    others = [i for i, call in enumerate(right) if call.parent == other]
    for first, second in _aligned(wrong, children, right, others):
        given = wrong[first].inputs, right[second].inputs
        gave = wrong[first].outputs, right[second].outputs
        if given[0] and given[1] and _all_alike(*given) and not _same_answers(*gave):
            return _between(wrong, first, right, second) or wrong[first]
    return None


def _aligned(
    wrong: Sequence[Call], children: Sequence[int], right: Sequence[Call], others: Sequence[int]
) -> list[tuple[int, int]]:
    """Calls of one name, in order, whatever one side calls beside them."""
    names = [wrong[i].shared for i in children], [right[i].shared for i in others]
    blocks = SequenceMatcher(None, *names, autojunk=False).get_matching_blocks()
    return [
        (children[block.a + step], others[block.b + step])
        for block in blocks
        for step in range(block.size)
    ]


def _all_alike(first: Sequence[Array], second: Sequence[Array]) -> bool:
    """Are the arrays of the shorter list among those of the other?

    What one backend gets as an array, another may get as a Python number.
    """
    few, many = sorted((first, second), key=len)
    return all(any(alike(one, other) for other in many) for one in few)


def _same_answers(first: Sequence[Array], second: Sequence[Array]) -> bool:
    return len(first) == len(second) and all(map(alike, first, second))


def alike(first: Array, second: Array) -> bool:
    """Are they the same, but for ordinary rounding?"""
    if first.dtype.kind == "c" or second.dtype.kind == "c":
        first, second = in_parts(first), in_parts(second)
    found = gap(first, second)
    if found is None or found.special is not None:
        return False
    if not found.furthest:
        return True
    return not found.whole and bool(
        (found.deviation <= SCREEN.allowed(found.size, found.largest)).all()
    )


def way_in(calls: Sequence[Call]) -> Call | None:
    """The function that does the work: the way from outside to the backend, while it is one.

    From the last outermost call on, as long as a call hands on what one call gives that it
    makes; no further than to the backend. None if nothing was called.
    """
    outermost = [i for i, call in enumerate(calls) if call.parent == -1 and call.outputs]
    if not outermost:
        return None
    index = outermost[-1]
    while not calls[index].of_backend:
        within = [i for i, call in enumerate(calls) if call.parent == index and call.outputs]
        if not within or not _same_answers(calls[within[-1]].outputs, calls[index].outputs):
            break
        if len(within) > 1:
            break
        index = within[-1]
    return calls[index]


def backend_functions(calls: Sequence[Call]) -> tuple[str, ...]:
    """The backend's functions that the front end calls, each once, by their shared names."""
    found = [
        call.shared
        for call in calls
        if call.of_backend and (call.parent == -1 or not calls[call.parent].of_backend)
    ]
    return tuple(dict.fromkeys(found))


def innermost(frames: Sequence[Frame], package: str) -> Frame | None:
    """The last line of a package that an exception came through; None if there is none."""
    own = [frame for frame in frames if frame.file.partition("/")[0] == package]
    telling = [frame for frame in own if not frame.plumbing]
    return (telling or own)[-1] if own else None
