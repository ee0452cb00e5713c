"""Thresholds are chosen without looking at the models they are tried on."""

from benchmarks.sweep import (
    PAPER,
    Observation,
    Setting,
    cross_validated,
    flagged,
    ranked,
    score,
)


def observation(model: str, inconsistent: bool, *mad: float, ranks: float = 0.0) -> Observation:
    return Observation(model, inconsistent, (ranks,) * len(mad), mad)


#: Rounding stays below 1e-4 in all of them; faults are above it, not all above the paper's 0.2.
FOUND = [
    observation("a", False, 0.0, 5e-5),
    observation("a", True, 0.4, 0.6),
    observation("b", False, 2e-5, 0.0),
    observation("b", True, 0.03, 0.0),
    observation("c", False, 0.0, 0.0),
    observation("c", True, 0.0, 0.0, ranks=15.0),
]


def test_the_rule_counts_instances_above_either_threshold() -> None:
    half = observation("m", True, 0.3, 0.1)
    assert flagged(half, PAPER)
    assert not flagged(half, Setting(8.0, 0.3, 0.0))  # above, not at
    assert not flagged(half, Setting(8.0, 0.2, 50.0))  # not more than half of them
    assert flagged(observation("m", True, 0.0, ranks=12.0), PAPER)
    assert not flagged(Observation("regression", True, (), (0.1,)), PAPER)


def test_the_papers_thresholds_miss_a_small_deviation() -> None:
    own = score(FOUND, PAPER)
    assert (own.detected, own.inconsistent, own.false, own.consistent) == (2, 3, 0, 3)


def test_the_best_setting_has_no_false_alarm_and_finds_all() -> None:
    setting, own = ranked(FOUND)[0]
    assert (own.detected, own.false) == (3, 0)
    assert 1e-4 <= setting.mad_threshold < 0.03


def test_a_false_alarm_weighs_more_than_any_number_of_detections() -> None:
    noisy = [*FOUND, observation("d", False, 0.05, 0.05)]
    setting, own = ranked(noisy)[0]
    assert own.false == 0
    assert setting.mad_threshold >= 0.05 or setting.percent > 0


def test_a_model_does_not_choose_its_own_thresholds() -> None:
    folds = {fold.model: fold for fold in cross_validated(FOUND)}
    assert list(folds) == ["a", "b", "c"]
    # Without b, nothing speaks for a threshold below 0.2: b's own fault is missed.
    assert folds["b"].setting.mad_threshold > 0.03
    assert (folds["b"].score.detected, folds["b"].score.inconsistent) == (0, 1)
    assert (folds["a"].score.detected, folds["a"].score.false) == (1, 0)
