"""Layers around layers, worked out by hand."""

import numpy as np
import pytest

from tests.reference.layers.calls import HALVING, STEPS, call, nested, run


@pytest.mark.parametrize(("merge_mode", "expected"), [
    ("sum", [18.5, 13.0, 8.0]), ("mul", [84.0, 40.0, 12.0]), ("ave", [9.25, 6.5, 4.0]),
])  # fmt: skip
def test_both_directions_meet_at_the_same_step(merge_mode: str, expected: list[float]) -> None:
    weights = {f"{way}/{name}": v for way in ("forward", "backward") for name, v in HALVING.items()}
    layer = nested("SimpleRNN", units=1, activation=None, return_sequences=True)
    result = call("Bidirectional", STEPS, layer=layer, merge_mode=merge_mode, weights=weights)
    assert result.ravel().tolist() == expected


def test_spectral_normalization_finds_the_largest_singular_value() -> None:
    kernel = [[3.0, 0.0], [0.0, 1.0]]
    result, state = run(
        "SpectralNormalization", [[1.0, 1.0]], layer=nested("Dense", units=2, use_bias=False),
        power_iterations=40, weights={"kernel": kernel, "vector_u": [[1.0, 1.0]]}, training=True,
    )  # fmt: skip
    np.testing.assert_allclose(result, [[1.0, 1 / 3]])
    np.testing.assert_allclose(state["vector_u"], [[1.0, 0.0]], atol=1e-9)
