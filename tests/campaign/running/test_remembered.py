"""What the reference answered is asked once."""

from assay.campaign.running.remembered import Remembered
from assay.ir import Case, Failure, Graph, Input, Node, Trace, Uniform

GRAPH = Graph((Input("x", (2,)),), (Node("n", "keras.ops.tanh", ("x",)),), ("n",))


def case_of(seed: int) -> Case:
    return Case(GRAPH, {"x": Uniform(seed)}, stage="forward")


def test_an_answer_is_known_for_its_case_and_stage_only() -> None:
    remembered = Remembered()
    remembered.keep(case_of(1), "forward", Trace("reference", "ok"))
    assert remembered.find(case_of(1), "reference", "forward") == {
        "reference": Trace("reference", "ok")
    }
    assert remembered.find(case_of(1), "reference", "gradient") == {}
    assert remembered.find(case_of(2), "reference", "forward") == {}


def test_a_death_is_not_remembered() -> None:
    remembered = Remembered()
    failure = Failure("forward", "timeout", "no answer", "n")
    remembered.keep(case_of(1), "forward", Trace("reference", "timeout", failure=failure))
    assert remembered.find(case_of(1), "reference", "forward") == {}


def test_only_the_latest_are_kept() -> None:
    remembered = Remembered()
    for seed in range(100):
        remembered.keep(case_of(seed), "forward", Trace("reference", "ok"))
    assert remembered.find(case_of(99), "reference", "forward")
    assert not remembered.find(case_of(0), "reference", "forward")
