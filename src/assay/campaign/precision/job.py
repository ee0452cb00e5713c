"""A row of the table of what is measured."""

import msgspec

from assay.campaign.precision.presets import Operator
from assay.ir.precision import Mode
from assay.targets import Target

#: The name of the strategy that tries every number.
EXHAUSTIVE = "exhaustive"


class Job(msgspec.Struct, frozen=True):
    """One operator on one target, in one format and mode, by one strategy."""

    operator: Operator
    target: Target
    dtype: str
    mode: Mode
    strategy: str

    @property
    def computes(self) -> str:
        """The format that the operator computes in."""
        return self.dtype if self.mode == "operator" else "float32"
