"""Equivalent programs on one implementation: either may be wrong, and who says which."""

from typing import Any

import numpy as np
import pytest

from assay.ir import Agreement, Arm, Case, Explicit, Graph, Input, Node, Trace, Trial, Verdict
from assay.judge import HarnessError, Observed, oracle
from tests.judge.observations import X, died, raised, votes

TORCH, TF = "keras-torch", "keras-tensorflow"
RIGHT, WRONG = [[1.0, 2.0]], [[1.0, 3.0]]


def program(name: str) -> Case:
    graph = Graph((Input("x", (1, 3)),), (Node(name, "keras.ops.abs", ("x",)),), (name,))
    return Case(graph, {"x": Explicit(X)})


def answers(*given: tuple[str, Any]) -> Observed:
    """Arms ``target`` or ``target#rule`` with their output, or a trace that has none."""
    rules = list(dict.fromkeys(name.partition("#")[2] for name, _ in given))
    cases = tuple(program(f"n{place}") for place in range(len(rules)))
    arms, traces = [], {}
    for name, output in given:
        target, _, rule = name.partition("#")
        place = rules.index(rule)
        arms.append(Arm(target, place, rule))
        if isinstance(output, Trace):
            traces[name] = output
            continue
        dtype = "float64" if target == "reference" else "float32"
        traces[name] = Trace(name, "ok", {f"output:n{place}": np.array(output, dtype)})
    agreements = tuple(
        Agreement("equivalent", (arm.target, arm.name), (("output:n0", f"output:n{arm.case}"),))
        for arm in arms
        if arm.variant and arm.target != "reference"
    )
    return Observed(Trial(0, "test", cases, tuple(arms), agreements), traces, votes)


def judged(*given: tuple[str, Any]) -> list[Verdict]:
    return oracle("equivalence").judge(answers(*given))


#: By what decides: the arms, and whether the program as it is is the one to blame.
DECIDED = {
    "the reference and the other program": [
        (TORCH, WRONG),
        (f"{TORCH}#rule:r", RIGHT),
        ("reference", RIGHT),
    ],
    "the reference and the program as it is": [
        (TORCH, RIGHT),
        (f"{TORCH}#rule:r", WRONG),
        ("reference", RIGHT),
    ],
    "a third program": [
        (TORCH, WRONG),
        (f"{TORCH}#rule:r", RIGHT),
        (f"{TORCH}#rule:s", RIGHT),
    ],
    "another library": [
        (TORCH, WRONG),
        (f"{TORCH}#rule:r", RIGHT),
        (TF, RIGHT),
        (f"{TF}#rule:r", RIGHT),
    ],
}


@pytest.mark.parametrize("given", DECIDED.values(), ids=DECIDED)
def test_either_program_may_be_blamed(given: list[tuple[str, Any]]) -> None:
    verdict = judged(*given)[0]
    assert (verdict.kind, verdict.category, verdict.blamed) == ("equivalence", "bug", (TORCH,))
    wrong = next(name for name, output in given if output is WRONG)
    said = wrong.partition("#")[2] or "as it is"
    assert verdict.evidence.message == f"equivalent programs differ: {said}"
    assert (verdict.evidence.where, verdict.evidence.position) == ("output:n0", (0, 1))
    assert {item.target for item in verdict.evidence.observations} == {name for name, _ in given}


def test_what_nobody_can_decide_is_said_so() -> None:
    (verdict,) = judged((TORCH, WRONG), (f"{TORCH}#rule:r", RIGHT))
    assert (verdict.category, verdict.blamed) == ("undecided", ())
    assert verdict.evidence.message == "equivalent programs differ: as it is, rule:r"


def test_a_program_that_raises_is_wrong_where_an_equivalent_one_works() -> None:
    failed = raised(f"{TORCH}#rule:r", node="n1")
    (verdict,) = judged((TORCH, RIGHT), (f"{TORCH}#rule:r", failed))
    assert (verdict.category, verdict.blamed) == ("bug", (TORCH,))
    assert verdict.evidence.message.startswith("rule:r: ValueError")


def test_programs_that_agree_are_silent_whoever_else_differs() -> None:
    assert judged((TORCH, RIGHT), (f"{TORCH}#rule:r", RIGHT), (TF, WRONG)) == []
    assert judged((TORCH, RIGHT), (f"{TORCH}#rule:r", RIGHT), ("reference", WRONG)) == []


def test_an_arm_that_did_not_answer_is_no_disagreement() -> None:
    seen = answers((TORCH, RIGHT), (f"{TORCH}#rule:r", RIGHT))
    alone = Observed(seen.trial, {TORCH: seen.traces[TORCH]}, votes)
    assert oracle("equivalence").judge(alone) == []


def test_a_program_that_dies_is_a_crash_of_the_op_that_was_at_work() -> None:
    dead = died(f"{TORCH}#rule:r", node="n1")
    (verdict,) = judged((TORCH, RIGHT), (f"{TORCH}#rule:r", dead))
    assert (verdict.kind, verdict.node, verdict.evidence.message) == ("crash", "n1", "SIGSEGV")


def test_programs_without_corresponding_outputs_do_not_agree() -> None:
    seen = answers((TORCH, RIGHT), (f"{TORCH}#rule:r", RIGHT))
    (agreement,) = seen.trial.agreements
    lost = Agreement(agreement.relation, agreement.arms, (("output:z", "output:y"),))
    trial = Trial(0, "test", seen.trial.cases, seen.trial.arms, (lost,))
    with pytest.raises(HarnessError, match="no output of keras-torch corresponds to one of"):
        oracle("equivalence").judge(Observed(trial, seen.traces, votes))


def test_peers_that_run_what_a_rule_made_are_judged_by_their_targets() -> None:
    given = [(TORCH, RIGHT), (f"{TORCH}#rule:r", WRONG), (TF, RIGHT), (f"{TF}#rule:r", RIGHT)]
    seen = answers(*given, ("reference", RIGHT), ("reference#rule:r", RIGHT))
    usual = Trial(0, "test", seen.trial.cases, seen.trial.arms)
    parts = list(Observed(usual, seen.traces, votes).parts("peers"))
    assert [list(part.traces) for part in parts] == [[TORCH, TF, "reference"]] * 2
    assert [part.trial.case.graph.nodes[0].id for part in parts] == ["n0", "n1"]
    (verdict,) = oracle("numeric").judge(Observed(usual, seen.traces, votes))
    assert (verdict.blamed, verdict.node) == ((TORCH,), "n1")
