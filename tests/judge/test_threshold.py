"""The thresholds of the paper: more than 0.15 apart where everything before is within 1e-5."""

import numpy as np
import pytest

from assay.judge import oracle, oracles
from assay.judge.threshold import ThresholdOracle
from tests.judge.observations import ARRAYS, one_differs

JUDGE = ThresholdOracle()


@pytest.mark.parametrize(("by", "seen"), [(0.1, 0), (0.2, 1)])
def test_only_what_is_beyond_the_threshold_is_inconsistent(by: float, seen: int) -> None:
    verdicts = JUDGE.judge(one_differs({"output:n2": ARRAYS["output:n2"] + np.float32(by)}))
    assert len(verdicts) == seen
    assert all(verdict.node == "n2" and verdict.kind == "inconsistency" for verdict in verdicts)


def test_a_layer_behind_one_that_deviates_by_more_than_epsilon_is_not_accused() -> None:
    changed = {
        "output:n1": ARRAYS["output:n1"] + np.float32(1e-3),
        "output:n2": ARRAYS["output:n2"] + np.float32(1.0),
    }
    assert JUDGE.judge(one_differs(changed)) == []


def test_nan_on_one_side_is_no_matter_of_thresholds() -> None:
    wrong = ARRAYS["output:n2"].copy()
    wrong.flat[0] = np.nan
    (verdict,) = JUDGE.judge(one_differs({"output:n2": wrong}))
    assert verdict.kind == "nan"


def test_the_preset_judges_numbers_by_thresholds_and_the_rest_as_usual() -> None:
    names = [item.name for item in oracles("muffin")]
    assert "threshold" in names
    assert "numeric" not in names
    assert {"crash", "error"} <= set(names)
    assert oracle("threshold").name == "threshold"
