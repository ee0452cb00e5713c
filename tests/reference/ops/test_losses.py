"""Cross-entropies of ``keras.ops`` in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_crossentropies() -> None:
    found = call("binary_crossentropy", [0.0, 1.0, 1.0, 0.0], [0.1, 0.9, 0.8, 0.2])
    assert np.allclose(found, [0.10536054, 0.10536054, 0.22314355, 0.22314355])
    output = [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    expected = [0.10536054, 0.22314355, 0.6931472]
    assert np.allclose(call("categorical_crossentropy", np.eye(3), output), expected)
    assert np.allclose(call("sparse_categorical_crossentropy", [0, 1, 2], output), expected)
    moved = np.swapaxes(output, 0, 1)
    assert np.allclose(call("sparse_categorical_crossentropy", [0, 1, 2], moved, axis=0), expected)
