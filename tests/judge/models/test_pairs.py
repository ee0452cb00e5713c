"""What is said of a pair follows from its numbers and from where its targets part."""

from collections.abc import Callable

import numpy as np
import pytest

from assay.ir.check import LayerDeviation, Located, Suspect
from assay.judge.models.pairs import Rule, pair_result
from assay.judge.models.tally import Tally, truth_of

SCORES = np.array([[0.6, 0.4]], "float32")
FLIPPED = np.array([[0.4, 0.6]], "float32")
NEAR = np.array([[0.6, 0.5]], "float32")
TIE = np.array([[0.5, 0.5]], "float32")
SUSPECT = Suspect("dense", "keras.layers.Dense", 3.0, alone=0.2, blamed=("b",))
GROWING = LayerDeviation("relu", "keras.layers.ReLU", 0.1, 0.0, 2.0)
NOWHERE = Located(None, None, None, complete=True)
UNOPENED = Located(None, None, None, complete=False)


def tally(first: np.ndarray, second: np.ndarray) -> Tally:
    found = Tally("classification")
    truth = truth_of("classification", {"a": [first]}, None, 1)
    found.add(0, (first,), [first], [second], truth, 1)
    return found


def never() -> bool:
    raise AssertionError("nobody should ask")


@pytest.mark.parametrize(
    ("second", "found", "explained", "verdict", "category", "layer"),
    [
        (SCORES, None, never, "consistent", "", ""),
        (FLIPPED, Located(SUSPECT, GROWING, None, False), never, "inconsistent", "bug", "dense"),
        (FLIPPED, NOWHERE, never, "inconsistent", "rounding", ""),
        (NEAR, NOWHERE, never, "consistent", "", ""),
        (NEAR, UNOPENED, lambda: True, "consistent", "", ""),
        (NEAR, UNOPENED, lambda: False, "inconsistent", "bug", ""),
        (
            NEAR,
            Located(None, GROWING, None, False),
            lambda: False,
            "inconsistent",
            "bug",
            "relu",
        ),
        (SCORES[:, :1], NOWHERE, never, "inconsistent", "bug", ""),
    ],
    ids=[
        "equal",
        "a layer differs alone",
        "rounding flips a label",
        "no layer differs alone",
        "rounding explains it",
        "nobody could look",
        "growth is all there is",
        "shapes",
    ],
)
def test_verdicts(
    second: np.ndarray,
    found: Located | None,
    explained: Callable[[], bool],
    verdict: str,
    category: str,
    layer: str,
) -> None:
    result = pair_result(Rule(), ("a", "b"), tally(SCORES, second), found, explained)
    assert (result.verdict, result.category) == (verdict, category)
    assert (result.suspect.layer if result.suspect else "") == layer


def test_a_published_rule_goes_by_its_thresholds_alone() -> None:
    rule, near = Rule("cradle"), tally(TIE, TIE + np.array([[0, 1e-7]], "float32"))
    assert not rule.suspicious(near)
    far = tally(SCORES, FLIPPED)
    assert rule.suspicious(far)
    assert not Rule("cradle", percent=100.0).suspicious(far)
    result = pair_result(rule, ("a", "b"), far, UNOPENED, never)
    assert (result.verdict, result.category) == ("inconsistent", "bug")
