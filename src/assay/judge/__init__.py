"""Oracles, votes and verdicts."""

from assay.judge._base import HarnessError, Observed, Oracle, Votes, same_disagreement
from assay.judge.compare import difference
from assay.judge.derivative import beside, smooth
from assay.judge.failures import CrashOracle, ErrorOracle, ValidationOracle
from assay.judge.identity import fingerprint, nearly_equal
from assay.judge.numeric import NondeterminismOracle, NumericOracle
from assay.judge.precision import spacing
from assay.judge.round_trip import RoundTripOracle
from assay.judge.rounding import (
    gradient_noise,
    moderated_case,
    perturbed_cases,
    quotient_noise,
    sensitivity,
    widened_case,
)
from assay.judge.support import support
from assay.judge.threshold import ThresholdOracle

#: Every oracle, in the order in which their verdicts are worth reading.
ORACLES: tuple[Oracle, ...] = (
    CrashOracle(),
    ErrorOracle(),
    ValidationOracle(),
    NondeterminismOracle(),
    RoundTripOracle(),
    NumericOracle(),
)


#: Oracles of presets, in place of the one that judges numbers.
PRESETS: dict[str, Oracle] = {"muffin": ThresholdOracle()}


def oracles(preset: str = "") -> tuple[Oracle, ...]:
    """Every oracle of a hunt, with the thresholds of a published method if one is named."""
    if not preset:
        return ORACLES
    return (*ORACLES[:-1], PRESETS[preset])


def oracle(name: str) -> Oracle:
    """The oracle of that name."""
    return next(item for item in (*ORACLES, *PRESETS.values()) if item.name == name)


__all__ = [
    "ORACLES",
    "PRESETS",
    "HarnessError",
    "Observed",
    "Oracle",
    "Votes",
    "beside",
    "difference",
    "fingerprint",
    "gradient_noise",
    "moderated_case",
    "nearly_equal",
    "oracle",
    "oracles",
    "perturbed_cases",
    "quotient_noise",
    "same_disagreement",
    "sensitivity",
    "smooth",
    "spacing",
    "support",
    "widened_case",
]
