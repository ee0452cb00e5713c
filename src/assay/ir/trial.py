"""Trial: arms that must agree."""

from typing import Literal

import msgspec

from assay.ir.case import Case

Intent = Literal["valid", "invalid"]


class Arm(msgspec.Struct, frozen=True):
    """A case of the trial (by position) on a target."""

    target: str
    case: int = 0


class Trial(msgspec.Struct, frozen=True):
    """Arms, and the agreement expected of them.

    ``intent`` says whether the source meant the case to be valid; for an
    invalid one ``suspect_parameter`` names the parameter that was given a value
    outside its documented range. ``repeat`` runs each arm twice; ``round_trip``
    (``"config"`` or ``"save"``) runs it again with objects that went through
    their configuration or a file. At most one of the two is set. ``classes``
    are the (op, parameter, value class) triples the trial exercises.
    """

    index: int
    source: str
    cases: tuple[Case, ...]
    arms: tuple[Arm, ...]
    intent: Intent = "valid"
    suspect_parameter: str = ""
    repeat: bool = False
    round_trip: Literal["", "config", "save"] = ""
    classes: tuple[tuple[str, str, str], ...] = ()

    @property
    def case(self) -> Case:
        """The only case of a trial whose arms differ in their target."""
        (case,) = self.cases
        return case
