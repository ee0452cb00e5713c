"""Which techniques a hunt uses, and whose turn it is."""

from collections.abc import Mapping, Sequence

from assay.errors import AssayError
from assay.ops import OpSpec
from assay.sources import Source, create, usual_techniques

#: Trials of a technique in each round, else one: a model costs as much as several calls.
_TURNS = {"single-op": 7}


def sources_for(
    techniques: Sequence[str], seed: int, arms: tuple[str, ...], vocabulary: Mapping[str, OpSpec]
) -> list[Source]:
    """The sources asked for; of the usual ones those that can use the ops named."""
    if techniques:
        return [create(name, seed, arms, vocabulary) for name in techniques]
    found: list[Source] = []
    refused: list[AssayError] = []
    for name in usual_techniques():
        try:
            found.append(create(name, seed, arms, vocabulary))
        except AssayError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def share(techniques: Sequence[str], index: int) -> tuple[int, int]:
    """Whose turn a trial is, as a place in ``techniques``, and its index among their own."""
    turns = [_TURNS.get(name, 1) for name in techniques]
    rounds, place = divmod(index, sum(turns))
    for technique, mine in enumerate(turns):
        if place < mine:
            return technique, rounds * mine + place
        place -= mine
    raise AssertionError("a place in a round belongs to someone")
