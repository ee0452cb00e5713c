"""Several strategies in turn; what one has found, all of them learn from."""

from collections.abc import Mapping
from typing import Any

from assay.ir import derive
from assay.search._base import Inputs, Scores, Settings, Space, strategy
from assay.search.climbing import Climb
from assay.search.corners import Corners
from assay.search.elements import Elements
from assay.search.exponents import Exponents
from assay.search.predoo import Normal

#: Whose turn it is: most populations look near what was found, the others everywhere. Neither
#: ``cmaes`` nor ``gradient`` is among them, as ``benchmarks/strategies.py`` finds less with them.
_TURNS = (
    "corners",
    "elements",
    "exponents",
    "elements",
    "random",
    "elements",
    "climb",
    "elements",
)
#: Absolute errors are large where numbers are: few are looked for among the small ones.
_ABSOLUTE = ("random", "elements", "climb", "elements", "random", "elements", "corners", "elements")


@strategy("mixture")
class Mixture:
    """Normal numbers, numbers of every size, edges, mutants of the best, and hill climbing."""

    name = "mixture"

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        kinds = (Normal, Exponents, Corners, Elements, Climb)
        self._parts = {kind.name: kind(space, derive(seed, self.name), settings) for kind in kinds}
        self._turns = _TURNS if settings.goal == "units" else _ABSOLUTE
        self._turn = 0

    @property
    def _asked(self) -> str:
        return self._turns[self._turn % len(self._turns)]

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        return self._parts[self._asked].ask(count)

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """Mutants are of the best of all; a climb hears of its own moves only."""
        self._parts["elements"].tell(inputs, scores)
        if self._asked != "elements":
            self._parts[self._asked].tell(inputs, scores)
        self._turn += 1

    def state(self) -> dict[str, Any]:
        """Whose turn it is, and what each has learned."""
        return {
            "turn": self._turn,
            "parts": {name: part.state() for name, part in self._parts.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        self._turn = state["turn"]
        for name, part in self._parts.items():
            part.restore(state["parts"][name])
