"""Oracles, votes and verdicts."""

from assay.judge._base import HarnessError, Observed, Oracle, PartOracle, Votes
from assay.judge.again import NondeterminismOracle
from assay.judge.compare import difference
from assay.judge.failures import CrashOracle, ErrorOracle
from assay.judge.identity import fingerprint, identity_of, nearly_equal, same
from assay.judge.numeric import NumericOracle
from assay.judge.registry import (
    JUDGED,
    ORACLES,
    PRESETS,
    oracle,
    oracles,
    shown_again,
    shown_on,
    shows,
    symptom,
)
from assay.judge.round_trip import RoundTripOracle
from assay.judge.rounding import product_noise, quotient_noise, sensitivity
from assay.judge.support import support
from assay.judge.threshold import ThresholdOracle
from assay.judge.validation import ValidationOracle

__all__ = [
    "JUDGED",
    "ORACLES",
    "PRESETS",
    "CrashOracle",
    "ErrorOracle",
    "HarnessError",
    "NondeterminismOracle",
    "NumericOracle",
    "Observed",
    "Oracle",
    "PartOracle",
    "RoundTripOracle",
    "ThresholdOracle",
    "ValidationOracle",
    "Votes",
    "difference",
    "fingerprint",
    "identity_of",
    "nearly_equal",
    "oracle",
    "oracles",
    "product_noise",
    "quotient_noise",
    "same",
    "sensitivity",
    "shown_again",
    "shown_on",
    "shows",
    "support",
    "symptom",
]
