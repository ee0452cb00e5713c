"""Normalizations of ``keras.ops`` in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_moments_and_normalizations() -> None:
    mean, variance = call("moments", [0.0, 1.0, 2.0, 3.0, 100.0], axes=(0,))
    assert np.allclose((mean, variance), (21.2, 1553.36))
    found = call("layer_normalization", np.arange(5.0))
    assert np.allclose(found, [-1.4142135, -0.70710677, 0.0, 0.7071067, 1.4142135], atol=1e-6)
    found = call("normalize", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert np.allclose(found[0], [0.26726124, 0.5345225, 0.8017837])
    assert call("normalize", [0.0, 0.0]).tolist() == [0, 0]
    x = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]
    found = call("batch_normalization", x, [0.4, 0.5, 0.6], [0.67] * 3, axis=-1)
    assert np.allclose(found[2], 0.36624, atol=1e-5)
    found = call("rms_normalization", [[3.0, 4.0]], scale=np.array([1.0, 2.0]))
    assert np.allclose(found, np.array([[3.0, 8.0]]) / np.sqrt(12.5))
