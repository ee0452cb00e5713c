"""Oracles, votes and verdicts."""

from assay.judge._base import HarnessError, Observed, Oracle, Votes, same_disagreement
from assay.judge.compare import difference
from assay.judge.derivative import beside, smooth
from assay.judge.failures import CrashOracle, ErrorOracle, ValidationOracle
from assay.judge.identity import fingerprint, nearly_equal
from assay.judge.numeric import NondeterminismOracle, NumericOracle
from assay.judge.registry import ORACLES, PRESETS, oracle, oracles
from assay.judge.round_trip import RoundTripOracle
from assay.judge.rounding import gradient_noise, quotient_noise, sensitivity
from assay.judge.support import support
from assay.judge.threshold import ThresholdOracle

__all__ = [
    "ORACLES",
    "PRESETS",
    "CrashOracle",
    "ErrorOracle",
    "HarnessError",
    "NondeterminismOracle",
    "NumericOracle",
    "Observed",
    "Oracle",
    "RoundTripOracle",
    "ThresholdOracle",
    "ValidationOracle",
    "Votes",
    "beside",
    "difference",
    "fingerprint",
    "gradient_noise",
    "nearly_equal",
    "oracle",
    "oracles",
    "quotient_noise",
    "same_disagreement",
    "sensitivity",
    "smooth",
    "support",
]
