"""Rounding explains what moves as much by itself, and nothing else."""

import numpy as np
import pytest

from assay.judge.models.accumulated import _explained

BASE = np.array([0.5, 0.25], "float32")
#: As they are, then moved by about one ULP in every layer.
COPIES = [BASE, BASE + np.array([1e-6, -2e-6], "float32")]


@pytest.mark.parametrize(
    ("other", "explained"),
    [
        (BASE + np.float32(5e-6), True),
        (BASE + np.float32(1e-3), False),
        (np.array([0.5, np.nan], "float32"), False),
        (BASE[:1], False),
    ],
    ids=["near", "far", "nan", "shape"],
)
def test_what_rounding_explains(other: np.ndarray, explained: bool) -> None:
    assert _explained(BASE, other, COPIES) is explained


def test_whole_numbers_do_not_round() -> None:
    labels = np.array([1, 2])
    assert _explained(labels, labels, [labels, labels])
    assert not _explained(labels, labels + 1, [labels, labels])
