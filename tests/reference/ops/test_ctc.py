"""Connectionist temporal classification in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_ctc_loss_sums_over_alignments() -> None:
    # Two steps, one label: "l l", "- l" and "l -", each of probability 1/9.
    found = call("ctc_loss", [[1]], np.zeros((1, 2, 3)), [1], [2])
    assert np.isclose(found[0], -np.log(3 / 9))
    # A repeated label needs a blank between: one alignment in three steps.
    found = call("ctc_loss", [[1, 1]], np.zeros((1, 3, 3)), [2], [3])
    assert np.isclose(found[0], -np.log(1 / 27))


def test_ctc_decode_merges_and_drops_blanks() -> None:
    logits = np.eye(3)[[1, 1, 0, 1, 2]][None]
    decoded, score = call("ctc_decode", logits, [5])
    assert decoded.tolist() == [[[1, 1, 2, -1, -1]]]
    assert score.tolist() == [[-5.0]]
