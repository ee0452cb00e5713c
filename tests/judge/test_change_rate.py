"""The published change rate: a mean deviation above 1000 times 1e-7, and another label."""

import msgspec
import numpy as np
import pytest

from assay.judge import Observed, oracle, oracles
from assay.judge.change_rate import ChangeRateOracle
from tests.judge.observations import ARRAYS, one_differs

JUDGE = ChangeRateOracle()
#: The last node gives the first of two labels the larger number, not the second.
OTHER_LABEL = {"output:n3": np.array([[9.0, 0.0625]])}


@pytest.mark.parametrize(("by", "seen"), [(0.9e-4, 0), (1.1e-4, 1)])
def test_a_layer_is_accused_above_t1_if_the_label_is_another(by: float, seen: int) -> None:
    changed = {"output:n2": ARRAYS["output:n2"] + by, **OTHER_LABEL}
    verdicts = [item for item in JUDGE.judge(one_differs(changed)) if item.node == "n2"]
    assert len(verdicts) == seen
    assert all(item.kind == "inconsistency" for item in verdicts)


def test_while_the_label_is_the_same_nothing_is_inconsistent() -> None:
    assert JUDGE.judge(one_differs({"output:n2": ARRAYS["output:n2"] + 1.0})) == []


def test_nan_counts_whatever_the_label() -> None:
    wrong = ARRAYS["output:n2"].copy()
    wrong[0, 0] = np.nan
    (verdict,) = JUDGE.judge(one_differs({"output:n2": wrong}))
    assert (verdict.kind, verdict.node) == ("nan", "n2")


def test_a_layer_behind_an_outlier_is_not_accused() -> None:
    changed = {"output:n1": ARRAYS["output:n1"] + 1.0, "output:n2": ARRAYS["output:n2"] + 2.0}
    verdicts = JUDGE.judge(one_differs({**changed, **OTHER_LABEL}))
    assert [item.node for item in verdicts if item.stage == "forward"] == ["n1"]


def test_a_layer_alone_has_no_label() -> None:
    observed = one_differs({"output:n2": ARRAYS["output:n2"] + 1.0})
    case = observed.case
    graph = msgspec.structs.replace(case.graph, nodes=case.graph.nodes[:2])
    # Of one node only: what it reads stands among the arrays all the same.
    graph = msgspec.structs.replace(graph, nodes=graph.nodes[1:], inputs=())
    alone = msgspec.structs.replace(case, graph=graph, loss=None, stage="forward")
    traces = {
        name: msgspec.structs.replace(trace, arrays={"output:n2": trace.arrays["output:n2"]})
        for name, trace in observed.traces.items()
    }
    seen = Observed(observed.trial.asking(alone), traces, observed.votes, observed.platforms)
    (verdict,) = JUDGE.judge(seen)
    assert verdict.node == "n2"


def test_the_preset_judges_numbers_by_the_change_rate() -> None:
    names = [item.name for item in oracles("audee")]
    assert "change-rate" in names
    assert not {"numeric", "threshold"} & set(names)
    assert oracle("change-rate").name == "change-rate"
