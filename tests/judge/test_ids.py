"""Ids that name nothing: what is left open of them excuses nothing else."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Explicit, Failure, Graph, Input, Node, Trace, Trial
from assay.judge import Observed, oracles
from assay.judge.category import categorised
from assay.judge.ids import named_case
from tests.judge.observations import observed

OP = "keras.ops.unravel_index"
TARGETS = ("keras-tensorflow", "keras-jax", "keras-torch")
Rows = Callable[[Array], Array]


def case_of(*ids: int) -> Case:
    node = Node("n", OP, ("x",), {"shape": [3, 4]})
    graph = Graph((Input("x", (len(ids),), "int32"),), (node,), ("n",))
    return Case(graph, {"x": Explicit(np.array(ids, "int32"))}, stage="forward")


def test_ids_that_name_nothing_are_replaced_by_the_nearest_that_do() -> None:
    known = named_case(case_of(-30, 7, 13))
    assert known is not None
    (ids,) = known.input_arrays().values()
    assert ids[1:].tolist() == [7, 11]
    assert -12 <= ids[0] <= 0
    assert named_case(case_of(1, 7)) is None


def judged(torch: Rows, *ids: int) -> tuple[str, tuple[str, ...]]:
    """Category and blame where torch computes rows otherwise than the others."""

    def answer(asked: Case, target: str) -> Trace:
        (x,) = asked.input_arrays().values()
        if target == REFERENCE and ((x < 0) | (x > 11)).any():
            failure = Failure("forward", "assay_worker.reference.Undocumented", "not documented")
            return Trace(target, "error", {}, failure)
        rows = np.where(x > 11, -1, x // 4)
        given = torch(x) if target == "keras-torch" else rows
        return Trace(target, "ok", {"output:n": given.astype("int32")}, digest="inputs:")

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        return [answer(item, target) for item in cases]

    def observe(trial: Trial) -> Observed:
        traces = [answer(trial.case, name) for name in (*TARGETS, REFERENCE)]
        seen = observed(*traces, case=trial.case)
        return Observed(trial, seen.traces, seen.votes, seen.platforms)

    arms = observed(*(Trace(name, "ok", {}) for name in (*TARGETS, REFERENCE))).trial.arms
    trial = Trial(0, "test", (case_of(*ids),), arms, classes=((OP, "input", "out_of_range"),))
    shown = observe(trial)
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(shown)]
    found = categorised(shown, verdict, observe, run)
    return found.category, found.blamed


@pytest.mark.parametrize(
    ("torch", "category", "blamed"),
    [
        (lambda x: np.minimum(x // 4, 2), "convention", ("keras-torch",)),
        (lambda x: np.where(x > 11, -1, x % 3), "bug", ("keras-torch",)),
    ],
)
def test_what_is_wrong_with_ids_that_name_something_is_wrong(
    torch: Rows, category: str, blamed: tuple[str, ...]
) -> None:
    assert judged(torch, 1, 7, 13) == (category, blamed)
