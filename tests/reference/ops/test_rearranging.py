"""``rearrange`` in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_rearrange_as_documented() -> None:
    images = np.arange(2 * 4 * 6 * 3).reshape(2, 4, 6, 3)
    assert np.array_equal(
        call("rearrange", images, pattern="b h w c -> b c h w"), images.transpose(0, 3, 1, 2)
    )
    found = call("rearrange", images, pattern="b h w c -> h (b w) c")
    assert np.array_equal(found[:, 6:], images[1])
    found = call("rearrange", images, pattern="b (h f) w c -> b h w (c f)", f=2)
    assert found.shape == (2, 2, 6, 6)
    assert found[0, 1, 2, :2].tolist() == [images[0, 2, 2, 0], images[0, 3, 2, 0]]
