"""What the differences of one layer's answers mean; what a localizer of layers asks."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.gaps import MODEL_SCREEN, gap, peak, real
from assay.ir import REFERENCE, Array
from assay.ir.transform import nudged_arrays
from assay.judge import distances
from assay.judge._base import Votes
from assay.judge.compare import difference
from assay.judge.rounding import NUDGES, of_shape, sensitivity
from assay.judge.voting import camps_of, vote


class LayerReferee:
    """The ``Referee`` of ``assay.localize.layers``: one vote per implementation."""

    def __init__(self, votes: Votes) -> None:
        self._votes = votes

    def exceeds(self, one: Array, two: Array) -> bool:
        """Are the answers further apart than the screen allows, beside their largest element?

        A layer is held to no more: terms inside it may be as large as that. Complex answers are
        their parts.
        """
        found = gap(real(one), real(two))
        if found is None or found.special is not None:
            return True
        return bool((found.deviation > MODEL_SCREEN.allowed(found.size, found.largest)).any())

    def apart(self, one: Array, two: Array) -> float:
        """The largest difference of two elements; infinite between shapes."""
        one, two = real(one), real(two)
        if one.shape != two.shape:
            return float("inf")
        return float(_measures(one, two).max_abs[0]) if one.size else 0.0

    def nudged(self, arrays: Mapping[str, Array]) -> Sequence[dict[str, Array]]:
        """The arrays, several times, with every float element moved by about one ULP."""
        return nudged_arrays(arrays, NUDGES)

    def rounding(self, one: Array, two: Array, moved: Sequence[Array]) -> bool:
        """Does ``one`` move to ``moved`` as far as ``two`` is from it, where that is most?"""
        if one.dtype.kind != "f" or not one.size:
            return bool(np.array_equal(one, two))
        found, steady = gap(one, two), of_shape(one, moved)
        if found is None or not steady:
            return False
        position = peak(found.distance)
        return sensitivity(one, steady).explains(float(found.distance[position]), position)

    def blame(
        self, answers: Mapping[str, Array], truth: Array | None, op: str
    ) -> tuple[tuple[str, ...], str]:
        """Who is wrong, by each target's answer and the reference's, and why we say so.

        Nobody, for no reason, where all agree.
        """
        heard = dict(answers)
        if truth is not None:
            heard[REFERENCE] = truth
        camps = camps_of(list(heard.items()), self._agree)
        if len(camps) < 2:
            return (), ""
        ballot = vote(camps, op, self._votes)
        return ballot.blamed, ballot.reason

    def _agree(self, one: Array, two: Array) -> bool:
        if one.shape != two.shape or one.dtype.kind not in "f":
            return difference(one, two) is None
        return not self.exceeds(one, two)


def _measures(one: Array, two: Array) -> distances.Measures:
    return distances.measures(one.reshape(1, -1), two.reshape(1, -1))
