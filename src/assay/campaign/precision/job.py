"""A row of the table of what is measured."""

import msgspec

from assay.campaign.precision.presets import Operator
from assay.ir.precision import Mode, Stage
from assay.targets import Target

#: The name of the strategy that tries every number.
EXHAUSTIVE = "exhaustive"


class Lacking(Exception):
    """The target cannot be measured so; the message says why."""


class Job(msgspec.Struct, frozen=True):
    """One operator on one target, in one format, mode and stage, by one strategy."""

    operator: Operator
    target: Target
    dtype: str
    mode: Mode
    strategy: str
    stage: Stage = "forward"

    @property
    def computes(self) -> str:
        """The format that the operator computes in."""
        return self.dtype if self.mode == "operator" else "float32"
