"""What is said of a pair follows from its numbers and from where its targets part."""

import numpy as np
import pytest

from assay.ir.check import LayerDeviation, Located, Suspect
from assay.judge.models.pairs import pair_result
from assay.judge.models.rules import Rule
from assay.judge.models.tally import Tally, truth_of

SCORES = np.array([[0.6, 0.4]], "float32")
FLIPPED = np.array([[0.4, 0.6]], "float32")
NEAR = np.array([[0.6, 0.5]], "float32")
TIE = np.array([[0.5, 0.5]], "float32")
SUSPECT = Suspect("dense", "keras.layers.Dense", 3.0, alone=0.2, blamed=("b",))
GROWING = LayerDeviation("relu", "keras.layers.ReLU", 0.1, 0.0, 2.0)
NOWHERE = Located(None, None, None, complete=True)
UNOPENED = Located(None, None, None, complete=False)


def tally(first: np.ndarray, second: np.ndarray, ratio: float = np.inf) -> Tally:
    """``ratio``: how many times their rounding bound they are apart."""
    found = Tally("classification")
    truth = truth_of("classification", {"a": [first]}, None, 1)
    found.add(0, (first,), [first], [second], truth, 1, lambda asked: ratio * asked)
    return found


@pytest.mark.parametrize(
    ("second", "found", "ratio", "verdict", "category", "layer"),
    [
        (SCORES, None, 0.0, "consistent", "", ""),
        (FLIPPED, Located(SUSPECT, GROWING, None, False), 9.0, "inconsistent", "bug", "dense"),
        (FLIPPED, NOWHERE, 0.9, "inconsistent", "rounding", ""),
        (NEAR, NOWHERE, 0.9, "consistent", "", ""),
        (NEAR, NOWHERE, 3.0, "inconsistent", "bug", ""),
        (NEAR, UNOPENED, 0.9, "consistent", "", ""),
        (NEAR, UNOPENED, 3.0, "inconsistent", "bug", ""),
        (NEAR, Located(None, GROWING, None, False), 3.0, "inconsistent", "bug", "relu"),
        (SCORES[:, :1], NOWHERE, 0.0, "inconsistent", "bug", ""),
        (SCORES * np.nan, NOWHERE, np.inf, "inconsistent", "bug", ""),
    ],
    ids=[
        "equal",
        "a layer differs alone",
        "rounding flips a label",
        "within the bound",
        "beyond the bound, though no layer differs alone",
        "rounding explains it",
        "nobody could look",
        "growth is all there is",
        "shapes",
        "one side is nan",
    ],
)
def test_verdicts(
    second: np.ndarray,
    found: Located | None,
    ratio: float,
    verdict: str,
    category: str,
    layer: str,
) -> None:
    result = pair_result(Rule(), ("a", "b"), tally(SCORES, second, ratio), found)
    assert (result.verdict, result.category) == (verdict, category)
    assert (result.suspect.layer if result.suspect else "") == layer
    outside = verdict == "inconsistent" and category == "bug" and found is NOWHERE
    assert bool(result.outside) is (outside and second.shape == SCORES.shape)


def test_nothing_follows_from_a_target_that_differs_from_itself() -> None:
    result = pair_result(Rule(), ("a", "b"), tally(SCORES, FLIPPED), None, ["b"])
    assert (result.verdict, result.category) == ("nothing to compare", "")
    assert result.explanation == "b differs from itself"


def test_what_has_no_finite_number_is_not_compared() -> None:
    nothing = tally(SCORES * np.nan, SCORES * np.nan)
    assert pair_result(Rule(), ("a", "b"), nothing, None).verdict == "nothing to compare"
    some = SCORES * np.array([[1.0, np.nan]])
    assert pair_result(Rule(), ("a", "b"), tally(some, some), None).verdict == "consistent"


def test_a_published_rule_goes_by_its_thresholds_alone() -> None:
    rule, near = Rule("cradle"), tally(TIE, TIE + np.array([[0, 1e-7]], "float32"))
    assert not rule.suspicious(near)
    far = tally(SCORES, FLIPPED)
    assert rule.suspicious(far)
    assert not Rule("cradle", percent=100.0).suspicious(far)
    result = pair_result(rule, ("a", "b"), far, UNOPENED)
    assert (result.verdict, result.category) == ("inconsistent", "bug")
