"""Arms and agreements: who must agree with whom, and what is left when some are left out."""

import pytest

from assay.ir import (
    REFERENCE,
    Agreement,
    Arm,
    Case,
    Explicit,
    Graph,
    Input,
    Node,
    Trial,
    from_json,
    to_json,
)
from tests.judge.observations import X

TARGETS = ("keras-tensorflow", "mine", REFERENCE)


def case_of(op: str) -> Case:
    graph = Graph((Input("x", (1, 3)),), (Node("n", op, ("x",)),), ("n",))
    return Case(graph, {"x": Explicit(X)})


def trial(*targets: str) -> Trial:
    return Trial(3, "test", (case_of("a"),), tuple(map(Arm, targets or TARGETS)))


def rewritten() -> Trial:
    """A case and an equivalent one on two targets; the reference has the first only."""
    arms = [Arm(target, place, variant) for target in TARGETS[:2] for place, variant in _PROGRAMS]
    agreements = [
        Agreement("equivalent", (target, f"{target}#rule:r"), (("output:n", "output:m"),))
        for target in TARGETS[:2]
    ]
    peers = Agreement("peers", TARGETS)
    return Trial(
        0, "test", (case_of("a"), case_of("b")), (*arms, Arm(REFERENCE)), (peers, *agreements)
    )


_PROGRAMS = ((0, ""), (1, "rule:r"))


def test_arms_of_one_case_are_peers_unless_something_else_is_said() -> None:
    assert trial().agreements == (Agreement("peers", TARGETS),)
    assert [arm.name for arm in trial().arms] == list(TARGETS)


def test_a_second_run_agrees_with_the_first_and_the_reference_needs_none() -> None:
    again = trial().again()
    assert [arm.name for arm in again.arms if arm.follows] == [
        "keras-tensorflow#again",
        "mine#again",
    ]
    assert again.agreements[1:] == (
        Agreement("again", ("keras-tensorflow", "keras-tensorflow#again")),
        Agreement("again", ("mine", "mine#again")),
    )
    assert again.again() == again
    assert again.plain() == trial()


def test_a_round_trip_is_an_equivalent_program() -> None:
    saved = trial("mine").through("save")
    assert saved.agreements[-1] == Agreement("equivalent", ("mine", "mine#save"))
    assert (saved.round_trip, trial().round_trip) == ("save", "")
    with pytest.raises(ValueError, match="expected one of"):
        trial().through("pickle")


def test_what_is_left_on_some_targets_is_what_they_still_owe_each_other() -> None:
    left = trial().again().on(("mine", REFERENCE))
    assert left.targets == ("mine", REFERENCE)
    assert left.agreements == (
        Agreement("peers", ("mine", REFERENCE)),
        Agreement("again", ("mine", "mine#again")),
    )


def test_who_joins_is_held_to_what_the_first_target_is() -> None:
    joined = rewritten().joined(["witness", "mine"])
    assert joined.targets == (*TARGETS, "witness")
    assert joined.agreements[0] == Agreement("peers", (*TARGETS, "witness"))
    assert (
        Agreement("equivalent", ("witness", "witness#rule:r"), (("output:n", "output:m"),))
        in joined.agreements
    )
    assert [arm.case for arm in joined.arms if arm.target == "witness"] == [0, 1]


def test_programs_made_of_a_case_are_peers_of_their_own() -> None:
    arms = rewritten().arms
    usual = Trial(0, "test", (case_of("a"), case_of("b")), arms).agreements
    assert Agreement("peers", ("keras-tensorflow#rule:r", "mine#rule:r")) in usual


def test_trials_survive_json() -> None:
    for made in (trial(), trial().again(), trial().through("config"), rewritten()):
        assert from_json(to_json(made), Trial) == made


def test_the_case_can_be_replaced_only_where_there_is_one() -> None:
    assert trial().again().asking(case_of("b")).case == case_of("b")
    with pytest.raises(ValueError, match="too many values"):
        rewritten().asking(case_of("b"))
