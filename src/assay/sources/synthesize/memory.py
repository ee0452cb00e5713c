"""What earlier models used, so that later ones use what they left out."""

from collections.abc import Iterable, Sequence

from assay.ops import Draw, OpSpec
from assay.ops.classes import parameter_classes
from assay.sources._base import Triple

#: A pair of neighbours that no model had yet is preferred this much, and so is an op that
#: takes the rank at hand without a repair.
_NEW_PAIR = 2.0
_FITTING = 3.0
#: An op that misses this many parameter classes is preferred as much as one used half as often.
_CLASSES = 3.0
#: What a call brings along whatever its parameters are, and the sign of a pair of parameters.
_NOT_COUNTED = ("rank", "present", "dtype")
_AND = " and "


class Memory:
    """Counts of ops, pairs of neighbours, and triples so far."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._pairs: set[tuple[str, str]] = set()
        self._triples: set[Triple] = set()
        self._unseen: dict[str, set[Triple]] = {}

    def choose(self, draw: Draw, offered: Sequence[OpSpec], before: str, rank: int) -> OpSpec:
        """Fitness-proportionate: an op used c times has the score 1 / (c + 1).

        More if it never followed the op ``before``, if it takes tensors of the rank, and
        the more of its parameter classes no model had yet.
        """
        scores = []
        for spec in offered:
            score = 1.0 / (self._used.get(spec.name, 0) + 1)
            new = (before, spec.name) not in self._pairs
            score *= 1.0 + self._missing(spec) / _CLASSES
            score *= (_NEW_PAIR if new else 1.0) * (_FITTING if _takes(spec, rank) else 1.0)
            scores.append(score)
        mark = draw.share() * sum(scores)
        for spec, score in zip(offered, scores, strict=True):
            mark -= score
            if mark < 0:
                return spec
        return offered[-1]

    def _missing(self, spec: OpSpec) -> int:
        if spec.name not in self._unseen:
            self._unseen[spec.name] = set(parameter_classes(spec))
        return len(self._unseen[spec.name])

    def new(self, triples: Iterable[Triple]) -> int:
        """How many of these no model had yet.

        Two unusual parameters at once count as much as each of them alone: else every layer of a
        model would be an odd one, and few models would run to their end.
        """
        return sum(
            aspect not in _NOT_COUNTED and _AND not in name
            for _, aspect, name in set(triples) - self._triples
        )

    def use(self, op: str, before: str, triples: Iterable[Triple]) -> None:
        """An op was put behind another one."""
        self._used[op] = self._used.get(op, 0) + 1
        self._pairs.add((before, op))
        self._triples.update(triples)
        self._unseen.get(op, set()).difference_update(triples)


def _takes(spec: OpSpec, rank: int) -> bool:
    return bool(spec.tensors) and rank in spec.tensors[0].ranks
