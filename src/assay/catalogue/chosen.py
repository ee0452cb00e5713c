"""What a campaign rewrites: targets with their catalogues, and the rules."""

from typing import Literal

import msgspec

from assay.catalogue.records import Snapshot
from assay.ir import content_hash

#: Inputs that a pair of programs is compared on in one trial.
DRAWS = 20
#: How sizes, dtypes and values of a catalogue's calls are drawn; see ``assay_worker.catalogue``.
Drawing = Literal["usual", "uniform"]


class Chosen(msgspec.Struct, frozen=True):
    """``libraries`` are those of the targets by name, ``snapshots`` the catalogues of some.

    A library without a catalogue is asked the ops that the vocabulary has of it. ``rules`` empty
    means all, ``ops`` all: names that are wanted. ``draws`` inputs are drawn in one trial;
    after ``inputs`` of every pair it is enough, unless they are 0. ``tolerance``, absolute and
    relative, takes the place of what rounding explains.
    """

    libraries: dict[str, str] = {}
    snapshots: dict[str, Snapshot] = {}
    rules: tuple[str, ...] = ()
    draws: int = DRAWS
    inputs: int = 0
    tolerance: tuple[float, float] | None = None
    drawing: Drawing = "usual"

    @property
    def digest(self) -> str:
        """A hash of all that decides what is drawn."""
        return content_hash(
            [sorted(self.libraries.items()), self.digests, list(self.rules), self.draws]
        )[:16]

    @property
    def digests(self) -> dict[str, str]:
        """The hash of each catalogue, by target."""
        return {name: item.digest for name, item in sorted(self.snapshots.items())}
