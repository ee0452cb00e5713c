"""Blocks and patches of images in the reference."""

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call


def test_blocks_are_inverses() -> None:
    x = np.arange(2 * 4 * 6 * 3).reshape(2, 4, 6, 3)
    for data_format, images in (
        ("channels_last", x),
        ("channels_first", np.moveaxis(x[..., :1], -1, 1)),
    ):
        deep = call("space_to_depth", images, block_size=2, data_format=data_format)
        back = call("depth_to_space", deep, block_size=2, data_format=data_format)
        assert np.array_equal(back, images)
    with pytest.raises(Unsupported, match="order of channels"):
        call("space_to_depth", np.moveaxis(x, -1, 1), block_size=2, data_format="channels_first")


def test_fold_sums_what_unfold_took() -> None:
    patches = call("unfold", np.ones((1, 2, 4, 4)), kernel_size=2, stride=2)
    assert patches.shape == (1, 8, 4)
    found = call("fold", patches, output_size=(4, 4), kernel_size=2, stride=2)
    assert np.array_equal(found, np.ones((1, 2, 4, 4)))
    x = np.arange(16.0).reshape(1, 1, 4, 4)
    overlapping = call("unfold", x, kernel_size=3)
    counts = call("unfold", np.ones_like(x), kernel_size=3)
    sums = [call("fold", part, output_size=4, kernel_size=3) for part in (overlapping, counts)]
    assert np.allclose(sums[0], x * sums[1])
    assert sums[1][0, 0, 1, 1] == 4
