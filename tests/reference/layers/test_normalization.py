"""Normalization layers, worked out by hand."""

import math

import numpy as np

from tests.reference.layers.calls import call, run


def test_a_mask_leaves_steps_out_of_the_batch_statistics() -> None:
    x = [[[1.0], [3.0], [100.0]]]
    weights = {"gamma": [1.0], "beta": [0.0], "moving_mean": [0.0], "moving_variance": [1.0]}
    result, state = run(
        "BatchNormalization", x, weights=weights, epsilon=0.0, momentum=0.5, training=True,
        keywords={"mask": np.array([[True, True, False]])},
    )  # fmt: skip
    assert result.ravel().tolist() == [-1.0, 1.0, 98.0]
    assert (state["moving_mean"].item(), state["moving_variance"].item()) == (1.0, 1.0)


def test_one_group_and_all_groups() -> None:
    x = np.random.RandomState(2).uniform(-1, 1, (2, 3, 4))
    one = call("GroupNormalization", x, groups=1, center=False, scale=False)
    np.testing.assert_allclose(one.mean(axis=(1, 2)), 0.0, atol=1e-12)
    every = call("GroupNormalization", x, groups=-1, center=False, scale=False)
    np.testing.assert_allclose(every.mean(axis=1), 0.0, atol=1e-12)
    assert not np.allclose(one.mean(axis=1), 0.0)


def test_rms_normalization_of_another_axis_scales_along_it() -> None:
    result = call(
        "RMSNormalization", [[[3.0], [4.0]]], axis=1, epsilon=0.0, weights={"scale": [1.0, 2.0]}
    )
    np.testing.assert_allclose(result.ravel() * math.sqrt(12.5), [3.0, 8.0])
