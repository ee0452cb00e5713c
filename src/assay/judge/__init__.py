"""Oracles, votes and verdicts."""

from assay.judge._base import HarnessError, Observed, Oracle, Votes, same_disagreement
from assay.judge.compare import difference
from assay.judge.failures import CrashOracle, ErrorOracle, ValidationOracle
from assay.judge.identity import fingerprint, nearly_equal
from assay.judge.numeric import NondeterminismOracle, NumericOracle
from assay.judge.round_trip import RoundTripOracle
from assay.judge.rounding import (
    gradient_noise,
    moderated_case,
    perturbed_cases,
    sensitivity,
    widened_case,
)
from assay.judge.support import support

#: Every oracle, in the order in which their verdicts are worth reading.
ORACLES: tuple[Oracle, ...] = (
    CrashOracle(),
    ErrorOracle(),
    ValidationOracle(),
    NondeterminismOracle(),
    RoundTripOracle(),
    NumericOracle(),
)


def oracle(name: str) -> Oracle:
    """The oracle of that name."""
    return next(item for item in ORACLES if item.name == name)


__all__ = [
    "ORACLES",
    "HarnessError",
    "Observed",
    "Oracle",
    "Votes",
    "difference",
    "fingerprint",
    "gradient_noise",
    "moderated_case",
    "nearly_equal",
    "oracle",
    "perturbed_cases",
    "same_disagreement",
    "sensitivity",
    "support",
    "widened_case",
]
