"""Hand-computed examples and properties of the nn functions, most from the documentation."""

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.calls import call


def test_one_hot_and_multi_hot() -> None:
    assert call("one_hot", [1, 3, 2, 0], num_classes=4).tolist() == [
        [0, 1, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
        [1, 0, 0, 0],
    ]
    assert call("one_hot", [1, 0], num_classes=3, axis=0).shape == (3, 2)
    assert call("multi_hot", [0, 4], num_classes=5).tolist() == [1, 0, 0, 0, 1]
    with pytest.raises(Unsupported):
        call("one_hot", [5], num_classes=4)


def test_crossentropies() -> None:
    found = call("binary_crossentropy", [0.0, 1.0, 1.0, 0.0], [0.1, 0.9, 0.8, 0.2])
    assert np.allclose(found, [0.10536054, 0.10536054, 0.22314355, 0.22314355])
    output = [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    expected = [0.10536054, 0.22314355, 0.6931472]
    assert np.allclose(call("categorical_crossentropy", np.eye(3), output), expected)
    assert np.allclose(call("sparse_categorical_crossentropy", [0, 1, 2], output), expected)
    moved = np.swapaxes(output, 0, 1)
    assert np.allclose(call("sparse_categorical_crossentropy", [0, 1, 2], moved, axis=0), expected)


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


def test_glu_splits_in_halves() -> None:
    assert np.allclose(call("glu", [-1.0, 0.0, 1.0, 1.0]), [-0.73105858, 0.0])


def test_separable_is_depthwise_then_pointwise() -> None:
    draw = np.random.default_rng(1)
    x, depthwise = draw.normal(size=(2, 5, 4, 3)), draw.normal(size=(2, 3, 3, 2))
    pointwise = draw.normal(size=(1, 1, 6, 4))
    found = call("separable_conv", x, depthwise, pointwise, strides=2)
    between = call("depthwise_conv", x, depthwise, strides=2)
    assert np.allclose(found, call("conv", between, pointwise))


def test_transposed_convolution_is_the_transpose() -> None:
    """<conv(x), y> = <x, conv_transpose(y)>, on the input length that the transpose chooses."""
    draw = np.random.default_rng(2)
    kernel = draw.normal(size=(3, 2, 4))
    for padding in ("valid", "same"):
        y = draw.normal(size=(1, 3, 4))
        back = call("conv_transpose", y, kernel, strides=2, padding=padding)
        x = draw.normal(size=back.shape)
        assert np.isclose(
            np.sum(call("conv", x, kernel, strides=2, padding=padding) * y), np.sum(x * back)
        )


def test_attention_of_grouped_heads_and_masks() -> None:
    draw = np.random.default_rng(3)
    query, key = draw.normal(size=(2, 3, 4, 5)), draw.normal(size=(2, 6, 2, 5))
    repeated = np.repeat(key, 2, axis=2)
    expected = call("dot_product_attention", query, repeated, repeated)
    assert np.allclose(call("dot_product_attention", query, key, key), expected)
    first = np.zeros((2, 4, 3, 6), dtype=bool)
    first[..., 0] = True
    found = call("dot_product_attention", query, repeated, repeated, mask=first)
    assert np.allclose(found, repeated[:, :1])


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
