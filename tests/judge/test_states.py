"""States that are kept by definition."""

import numpy as np
import pytest

from assay.ir import REFERENCE, Case, Explicit, Graph, Input, Node, Trace
from assay.judge import NumericOracle
from assay.judge.states import state_leaves_the_range
from tests.judge.observations import TARGETS, observed


@pytest.mark.parametrize(
    ("op", "params", "truth", "leaves"),
    [
        ("keras.optimizers.Adam", {}, 0.5, True),
        ("keras.optimizers.Adam", {"clipnorm": 1.0}, 0.5, False),
        ("keras.metrics.RootMeanSquaredError", {}, 8e37, True),
        ("keras.metrics.Mean", {}, 2e38, True),
        ("keras.metrics.CosineSimilarity", {}, -0.1, False),
        ("keras.ops.norm", {}, 8e37, False),
    ],
)
def test_a_state_is_what_is_kept(
    op: str, params: dict[str, float], truth: float, leaves: bool
) -> None:
    x = np.array([8e37, 1.0, 2.0], "float32")
    graph = Graph((Input("x", x.shape),), (Node("n", op, ("x",), params),), ("n",))
    case = Case(graph, {"x": Explicit(x)})
    wrong = {"output:n": np.array(np.inf, "float32")}
    traces = [Trace(name, "ok", wrong) for name in TARGETS]
    seen = observed(*traces, Trace(REFERENCE, "ok", {"output:n": np.array(truth)}), case=case)
    (verdict,) = NumericOracle().judge(seen)
    assert state_leaves_the_range(seen, verdict) is leaves
