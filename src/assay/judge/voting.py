"""Who agrees with whom, and who is to blame."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from assay.ir import REFERENCE
from assay.judge._base import Votes

Value = TypeVar("Value")


class Ballot(msgspec.Struct, frozen=True):
    """The outcome of a vote.

    ``camps`` are the targets that agree with each other, the one believed
    first. ``blamed`` is empty when nobody can tell.
    """

    camps: tuple[tuple[str, ...], ...]
    blamed: tuple[str, ...]
    reason: str
    #: Nobody agrees with our own float64 reference.
    reference_alone: bool = False


def camps_of(
    answers: Sequence[tuple[str, Value]], agree: Callable[[Value, Value], bool]
) -> list[list[str]]:
    """Targets grouped by whom they agree with, in order of appearance."""
    camps: list[tuple[Value, list[str]]] = []
    for target, value in answers:
        for representative, members in camps:
            if agree(representative, value):
                members.append(target)
                break
        else:
            camps.append((value, [target]))
    return [members for _, members in camps]


def vote(camps: Sequence[Sequence[str]], op: str, votes: Votes) -> Ballot:
    """Blame by independent implementation; the reference is the truth where others back it.

    Two targets with one implementation have one vote, and an implementation
    that is in two camps has none.
    """
    implementations = [{votes(target, op) for target in camp} - {REFERENCE} for camp in camps]
    split = {
        name
        for position, names in enumerate(implementations)
        for name in names
        if any(name in other for other in implementations[position + 1 :])
    }
    strength = [len(names - split) for names in implementations]
    order = sorted(range(len(camps)), key=lambda i: (-strength[i], i))
    with_reference = [i for i in order if REFERENCE in camps[i]]
    if with_reference:
        (truth,) = with_reference
        if len(camps[truth]) > 1:
            order.remove(truth)
            order.insert(0, truth)
            return _blame(camps, order, f"{_names(camps[truth])} agree")
        others = [i for i in order if i != truth]
        if len(others) == 1:
            return Ballot(
                camps=(tuple(camps[others[0]]), tuple(camps[truth])),
                blamed=(),
                reason="only Assay's own reference dissents: presumed its defect",
                reference_alone=True,
            )
        # Nobody agrees with the truth as we see it: a majority may be wrong together.
        return Ballot(
            camps=tuple(tuple(camps[i]) for i in [*others, truth]),
            blamed=(),
            reason="undecidable: the targets disagree, and none agrees with Assay's reference",
            reference_alone=True,
        )
    first, rest = order[0], order[1:]
    # One that agrees with nobody is no majority, even where all others are split.
    if len(camps[first]) > 1 and all(strength[first] > strength[i] for i in rest):
        return _blame(camps, order, f"the majority, {_names(camps[first])}, agrees")
    return Ballot(
        camps=tuple(tuple(camps[i]) for i in order),
        blamed=(),
        reason="undecidable: no majority of independent implementations",
    )


def vote_on_programs(
    camps: Sequence[Sequence[str]], targets: Mapping[str, str], op: str, votes: Votes
) -> Ballot:
    """As ``vote``, of arms that run equivalent programs; ``targets`` are those of the arms.

    An implementation that is in two camps has no vote there; where no other one decides, two
    programs outvote a third.
    """
    named = [[REFERENCE if targets[arm] == REFERENCE else arm for arm in camp] for camp in camps]
    ballot = vote(named, op, lambda arm, op: votes(targets.get(arm, arm), op))
    if ballot.blamed:
        return ballot
    programs = sorted(camps, key=lambda camp: -sum(targets[arm] != REFERENCE for arm in camp))
    counts = [sum(targets[arm] != REFERENCE for arm in camp) for camp in programs]
    if not ballot.reference_alone and counts[0] > 1 and counts[0] > counts[1]:
        order = list(range(len(programs)))
        return _blame(programs, order, f"{_names(programs[0])} agree, {counts[0]} programs")
    return ballot


def _blame(camps: Sequence[Sequence[str]], order: list[int], reason: str) -> Ballot:
    ordered = tuple(tuple(camps[i]) for i in order)
    blamed = tuple(sorted(target for camp in ordered[1:] for target in camp if target != REFERENCE))
    return Ballot(camps=ordered, blamed=blamed, reason=reason)


def _names(camp: Sequence[str]) -> str:
    return " and ".join(camp) if len(camp) < 3 else f"{', '.join(camp[:-1])} and {camp[-1]}"
