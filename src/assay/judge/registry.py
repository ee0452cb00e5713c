"""The oracles there are."""

from assay.judge._base import Oracle
from assay.judge.failures import CrashOracle, ErrorOracle, ValidationOracle
from assay.judge.numeric import NondeterminismOracle, NumericOracle
from assay.judge.round_trip import RoundTripOracle
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
