"""Oracle: equivalent programs on one implementation give the same.

Either of two programs may be the wrong one. Who is, the referee says where another program or
implementation backs it; else the other implementations that ran the same programs; else a third
program that sides with one of them.
"""

from collections.abc import Mapping, Sequence

import msgspec

from assay.ir import REFERENCE, Agreement, Arm, Array, Evidence, Observation, Verdict
from assay.judge._base import HarnessError, Observed
from assay.judge.compare import Difference, difference
from assay.judge.failures import DEATHS
from assay.judge.identity import headline
from assay.judge.numeric import element, stage_of
from assay.judge.voting import Ballot, camps_of, vote_on_programs

NAME = "equivalence"


class EquivalenceOracle:
    """Arms on one target that run different cases, and must agree all the same."""

    name = NAME

    def judge(self, observed: Observed) -> list[Verdict]:
        """At most one verdict for each agreement."""
        if observed.trial.intent != "valid" or len(observed.trial.cases) < 2:
            return []
        found = [
            _judged(observed, agreement)
            for agreement in observed.trial.agreements
            if agreement.relation == "equivalent"
            and not any(arm.follows for arm in _arms(observed, agreement))
        ]
        return [verdict for verdict in found if verdict is not None]


class _Dispute(msgspec.Struct, frozen=True):
    """An array on which programs differ, by the name it has in the first: who gives what."""

    where: str
    answers: dict[str, Array]
    ballot: Ballot
    found: Difference


def _arms(observed: Observed, agreement: Agreement) -> list[Arm]:
    by_name = {arm.name: arm for arm in observed.trial.arms}
    return [by_name[name] for name in agreement.arms]


def _judged(observed: Observed, agreement: Agreement) -> Verdict | None:
    first, *others = _arms(observed, agreement)
    answered = [arm for arm in (first, *others) if arm.name in observed.traces]
    working = [arm for arm in answered if observed.traces[arm.name].status == "ok"]
    if first not in answered or len(answered) < 2 or not working:
        return None
    if len(working) < len(answered):
        return _raises(observed, first, answered)
    _check_outputs(observed, agreement, answered)
    for array in dict(agreement.outputs) or observed.traces[first.name].arrays:
        dispute = _dispute(observed, agreement, array)
        if dispute is not None:
            return _differs(observed, first, dispute)
    return None


def _check_outputs(observed: Observed, agreement: Agreement, arms: Sequence[Arm]) -> None:
    """``HarnessError`` if nothing would be compared: that is no agreement."""
    first, *others = (observed.traces[arm.name].arrays for arm in arms)
    pairs = agreement.outputs or tuple((name, name) for name in first)
    for arm, arrays in zip(arms[1:], others, strict=True):
        if not any(mine in first and theirs in arrays for mine, theirs in pairs):
            raise HarnessError(f"no output of {arms[0].name} corresponds to one of {arm.name}")


def _names(observed: Observed, first: int, array: str) -> dict[int, str]:
    """What an array of the first program is called in every case that is equivalent to it."""
    names = {first: array}
    for agreement in observed.trial.agreements:
        arms = _arms(observed, agreement)
        if agreement.relation == "equivalent" and arms[0].case == first:
            renamed = dict(agreement.outputs).get(array, array)
            names.update((arm.case, renamed) for arm in arms[1:] if not arm.follows)
    return names


def _dispute(observed: Observed, agreement: Agreement, array: str) -> _Dispute | None:
    """Whether the programs differ there, and what everybody else who was asked gives."""
    arms = _arms(observed, agreement)
    case = arms[0].case
    names = _names(observed, case, array)
    answers = {
        arm.name: observed.traces[arm.name].arrays[names[arm.case]]
        for arm in observed.trial.arms
        if arm.name in observed.traces and not arm.follows and arm.case in names
        if names[arm.case] in observed.traces[arm.name].arrays
    }
    mine = [(arm.name, answers[arm.name]) for arm in arms if arm.name in answers]
    if len(camps_of(mine, _agree)) < 2:
        return None
    camps = camps_of(_in_one_format(answers), _agree)
    if len(camps) < 2:  # camps compare with their first member only
        return None
    ballot = vote_on_programs(camps, _targets(observed), observed.case_op(case), observed.votes)
    wrong = next(name for camp in ballot.camps[1:] for name in camp if name in answers)
    found = difference(answers[ballot.camps[0][0]], answers[wrong])
    return None if found is None else _Dispute(array, answers, ballot, found)


def _in_one_format(answers: Mapping[str, Array]) -> list[tuple[str, Array]]:
    """The answers, the reference's rounded to the format of a library: it has more digits."""
    library = [array for name, array in answers.items() if not name.startswith(REFERENCE)]
    formats = [array.dtype for array in library if array.dtype.kind == "f"]
    return [
        (name, array.astype(formats[0]) if name.startswith(REFERENCE) and formats else array)
        for name, array in answers.items()
    ]


def _agree(first: Array, second: Array) -> bool:
    return difference(first, second) is None


def _targets(observed: Observed) -> dict[str, str]:
    return {arm.name: arm.target for arm in observed.trial.arms}


def _differs(observed: Observed, first: Arm, dispute: _Dispute) -> Verdict:
    targets, found = _targets(observed), dispute.found
    op = observed.case_op(first.case)
    node = observed.trial.cases[first.case].graph.nodes[-1]
    shapes = found.what == "shape"
    observations = tuple(
        Observation(
            name,
            observed.votes(targets[name], op),
            f"shape {list(array.shape)}" if shapes else f"{element(array, found.position):.9g}",
            None if shapes else element(array, found.position),
        )
        for name, array in dispute.answers.items()
    )
    blamed = [targets[name] for name in dispute.ballot.blamed]
    return Verdict(
        oracle=NAME,
        kind="equivalence",
        stage=stage_of(dispute.where),
        category="bug" if blamed else "undecided",
        op=op,
        node=node.id,
        params=node.params,
        targets=tuple(dict.fromkeys(targets[name] for name in dispute.answers)),
        blamed=tuple(sorted(dict.fromkeys(blamed))),
        magnitude=found.magnitude,
        evidence=Evidence(
            observations=observations,
            reason=dispute.ballot.reason,
            where=dispute.where,
            position=found.position,
            tolerance=found.tolerance,
            message=_programs(observed, dispute.ballot.blamed or _disputed(first, dispute)),
        ),
    )


def _disputed(first: Arm, dispute: _Dispute) -> tuple[str, ...]:
    """The programs of the disputed target, where nobody is blamed."""
    return tuple(name for name in dispute.answers if name.partition("#")[0] == first.target)


def _programs(observed: Observed, names: Sequence[str]) -> str:
    """Which programs are meant, in few words."""
    arms = {arm.name: arm for arm in observed.trial.arms}
    variants = dict.fromkeys(arms[name].variant or "as it is" for name in names)
    return f"equivalent programs differ: {', '.join(variants)}"


def _raises(observed: Observed, first: Arm, answered: Sequence[Arm]) -> Verdict:
    """One program fails where an equivalent one works: the one that fails is wrong."""
    failing = [arm for arm in answered if observed.traces[arm.name].failure is not None]
    trace = observed.traces[failing[0].name]
    failure = trace.failure
    assert failure is not None
    nodes = observed.trial.cases[failing[0].case].graph.nodes
    node = next((item for item in nodes if item.id == failure.node), nodes[-1])
    died = trace.status in DEATHS
    said = failure.exception if died else headline(failure)
    return Verdict(
        oracle=NAME,
        kind="crash" if died else "equivalence",
        stage="forward",
        category="bug",
        op=node.op,
        node=node.id,
        params=node.params,
        targets=(first.target,),
        blamed=(first.target,),
        evidence=Evidence(
            observations=tuple(
                Observation(
                    arm.name,
                    observed.votes(arm.target, node.op),
                    said if arm in failing else "works",
                )
                for arm in answered
            ),
            reason="an equivalent program works",
            message=said if died else f"{failing[0].variant or 'as it is'}: {said}",
            stack=failure.stack,
        ),
    )
