"""Which thresholds of the distances tell inconsistent pairs from consistent ones? Pure functions.

CRADLE calls a pair of targets inconsistent if more than p % of a model's instances have a class
distance above T_C or a MAD distance above T_M. Thresholds are chosen on some models, by the most
inconsistent pairs found among those choices that call the fewest consistent ones inconsistent,
and are then tried on the models that were left out.
"""

import itertools
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

CLASS_THRESHOLDS = (0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 14.0)
MAD_THRESHOLDS = (0.0, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.3, 0.5)
PERCENTS = (0.0, 10.0, 25.0, 50.0)


class Observation(msgspec.Struct, frozen=True):
    """One pair of targets on one model: distances per instance, and what it really is.

    ``class_distances`` is empty for a regression.
    """

    model: str
    inconsistent: bool
    class_distances: tuple[float, ...]
    mad_distances: tuple[float, ...]


class Setting(msgspec.Struct, frozen=True, order=True):
    """Thresholds of the rule."""

    class_threshold: float
    mad_threshold: float
    percent: float


#: What the paper recommends.
PAPER = Setting(8.0, 0.2, 0.0)


class Score(msgspec.Struct, frozen=True):
    """How a setting does on observations."""

    detected: int
    inconsistent: int
    false: int
    consistent: int

    def plus(self, other: "Score") -> "Score":
        """Both together."""
        return Score(
            self.detected + other.detected,
            self.inconsistent + other.inconsistent,
            self.false + other.false,
            self.consistent + other.consistent,
        )


class Fold(msgspec.Struct, frozen=True):
    """One model left out: what the others chose, and how that does on it."""

    model: str
    setting: Setting
    score: Score


def flagged(observation: Observation, setting: Setting) -> bool:
    """Does the rule call the pair inconsistent?"""
    count = len(observation.mad_distances)
    allowed = setting.percent / 100.0 * count
    by_class = sum(item > setting.class_threshold for item in observation.class_distances)
    by_mad = sum(item > setting.mad_threshold for item in observation.mad_distances)
    return by_class > allowed or by_mad > allowed


def score(observations: Iterable[Observation], setting: Setting) -> Score:
    """How a setting does."""
    detected = inconsistent = false = consistent = 0
    for item in observations:
        found = flagged(item, setting)
        inconsistent += item.inconsistent
        consistent += not item.inconsistent
        detected += found and item.inconsistent
        false += found and not item.inconsistent
    return Score(detected, inconsistent, false, consistent)


def settings() -> tuple[Setting, ...]:
    """All that are tried."""
    return tuple(
        Setting(*values) for values in itertools.product(CLASS_THRESHOLDS, MAD_THRESHOLDS, PERCENTS)
    )


def ranked(observations: Sequence[Observation]) -> list[tuple[Setting, Score]]:
    """All settings, best first: fewest false, then most detected, then the most lenient."""
    scored = [(setting, score(observations, setting)) for setting in settings()]
    return sorted(scored, key=lambda pair: (pair[1].false, -pair[1].detected, _strict(pair[0])))


def _strict(setting: Setting) -> tuple[float, ...]:
    """Among equals, the widest margin above rounding: large thresholds, then few exceptions."""
    return (-setting.mad_threshold, -setting.class_threshold, setting.percent)


def cross_validated(observations: Sequence[Observation]) -> list[Fold]:
    """Every model left out once."""
    folds = []
    for model in dict.fromkeys(item.model for item in observations):
        others = [item for item in observations if item.model != model]
        own = [item for item in observations if item.model == model]
        chosen = ranked(others)[0][0]
        folds.append(Fold(model, chosen, score(own, chosen)))
    return folds


def distances_of(values: np.ndarray | None) -> tuple[float, ...]:
    """An array of distances as an observation holds it."""
    return () if values is None else tuple(float(value) for value in values)
