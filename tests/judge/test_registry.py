"""Is a finding still there, and on whom?"""

from assay.judge import NumericOracle, Observed, shown_on
from tests.judge.observations import TARGETS, observed, ok

WRONG = {"output:n2": [[0.25, -2.0]]}
TF, JAX, TORCH = TARGETS
OLD = "keras-torch@old"


def differing(*wrong: str) -> Observed:
    arms = (*TARGETS, OLD, "reference")
    return observed(*(ok(arm, WRONG if arm in wrong else None) for arm in arms))


def test_who_is_repaired_does_not_take_the_finding_from_the_others() -> None:
    (both,) = NumericOracle().judge(differing(TORCH, OLD))
    assert set(both.blamed) == {TORCH, OLD}
    assert shown_on(both, differing(TORCH, OLD)) == {TORCH, OLD}
    assert shown_on(both, differing(OLD)) == {OLD}
    assert shown_on(both, differing()) is None
    assert shown_on(both, differing(JAX)) is None
