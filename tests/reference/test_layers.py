"""Recurrent, attention, normalization, merging and preprocessing layers, worked out by hand."""

import math
from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Operation, Unsupported, farmhash


def _array(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return value
    array = np.asarray(value)
    return array.astype("float64") if array.dtype.kind == "f" else array


def run(
    op: str,
    *inputs: Any,
    weights: dict[str, Any] | None = None,
    keywords: dict[str, Any] | None = None,
    training: bool = False,
    **params: Any,
) -> tuple[Any, dict[str, Any]]:
    """Result and new state of a layer on arrays."""
    given = {name: np.asarray(value, "float64") for name, value in (weights or {}).items()}
    named = {name: _array(value) for name, value in (keywords or {}).items()}
    operation = Operation(f"keras.layers.{op}", params)
    result, state = operation.run([_array(x) for x in inputs], named, given, training)
    return result, state


def call(op: str, *inputs: Any, **more: Any) -> Any:
    return run(op, *inputs, **more)[0]


def nested(op: str, **params: Any) -> dict[str, Any]:
    return {"$op": f"keras.layers.{op}", "params": params}


# ----------------------------------------------------------------------- recurrent

#: h' = x + h / 2: every state is a sum that can be read off.
HALVING = {"kernel": [[1.0]], "recurrent_kernel": [[0.5]], "bias": [0.0]}
STEPS = [[[8.0], [4.0], [2.0]]]


def _halving(**more: Any) -> Any:
    more.setdefault("weights", HALVING)
    return call("SimpleRNN", STEPS, units=1, activation=None, **more)


def test_a_recurrent_layer_returns_the_last_output_or_all() -> None:
    assert _halving().tolist() == [[6.0]]
    assert _halving(return_sequences=True).tolist() == [[[8.0], [8.0], [6.0]]]
    output, state = _halving(return_state=True)
    assert output.tolist() == state.tolist() == [[6.0]]


def test_going_backwards_returns_the_reversed_sequence() -> None:
    assert _halving(return_sequences=True, go_backwards=True).tolist() == [[[2.0], [5.0], [10.5]]]


def test_a_masked_step_repeats_the_output_and_keeps_the_state() -> None:
    mask = {"mask": np.array([[True, False, True]])}
    assert _halving(keywords=mask, return_sequences=True).tolist() == [[[8.0], [8.0], [6.0]]]
    mask = {"mask": np.array([[False, True, False]])}
    assert _halving(keywords=mask, return_sequences=True).tolist() == [[[0.0], [4.0], [4.0]]]
    zeroed = _halving(keywords=mask, return_sequences=True, zero_output_for_mask=True)
    assert zeroed.tolist() == [[[0.0], [4.0], [0.0]]]


def test_a_stateful_layer_starts_from_what_it_remembers() -> None:
    remembered = {**HALVING, "state0": [[16.0]]}
    result, state = run(
        "SimpleRNN", STEPS, units=1, activation=None, stateful=True, weights=remembered
    )
    assert result.tolist() == [[8.0]]
    assert state["state0"].tolist() == [[8.0]]
    given = run(
        "SimpleRNN", STEPS, units=1, activation=None, weights=HALVING,
        keywords={"initial_state": [[16.0]]},
    )  # fmt: skip
    assert given[0].tolist() == [[8.0]]


def test_an_lstm_step_by_hand() -> None:
    # Gates input, forget, cell, output of x = 1, h = 0, c = 2 are x * (1, 2, 3, 4).
    weights = {"kernel": [[1.0, 2.0, 3.0, 4.0]], "recurrent_kernel": [[0.0] * 4]}
    output, hidden, carry = call(
        "LSTMCell", [[1.0]], units=1, use_bias=False, weights=weights,
        keywords={"states": [np.zeros((1, 1)), np.full((1, 1), 2.0)]},
    )  # fmt: skip

    def sigmoid(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    expected = sigmoid(2) * 2 + sigmoid(1) * math.tanh(3)
    assert carry.item() == pytest.approx(expected)
    assert output.item() == hidden.item() == pytest.approx(sigmoid(4) * math.tanh(expected))


@pytest.mark.parametrize(("reset_after", "bias", "expected"), [
    # update = reset = 1/2 as their weights are 0; h = 3, x = 1, recurrent weight 2.
    (False, [0.0, 0.0, 1.0], 0.5 * 3 + 0.5 * (1 + 1 + (0.5 * 3) * 2)),
    (True, [[0.0, 0.0, 1.0], [0.0, 0.0, 10.0]], 0.5 * 3 + 0.5 * (1 + 1 + 0.5 * (3 * 2 + 10))),
])  # fmt: skip
def test_the_reset_gate_of_a_gru(reset_after: bool, bias: Any, expected: float) -> None:
    weights = {"kernel": [[0.0, 0.0, 1.0]], "recurrent_kernel": [[0.0, 0.0, 2.0]], "bias": bias}
    output, _ = call(
        "GRUCell", [[1.0]], units=1, activation=None, reset_after=reset_after, weights=weights,
        keywords={"states": np.full((1, 1), 3.0)},
    )  # fmt: skip
    assert output.item() == pytest.approx(expected)


def test_stacked_cells_feed_each_other() -> None:
    cells = [nested("SimpleRNNCell", units=1, activation=None)] * 2
    weights = {f"{i}/{name}": value for i in (0, 1) for name, value in HALVING.items()}
    for cell in (cells, nested("StackedRNNCells", cells=cells)):
        output, first, second = call("RNN", STEPS, cell=cell, weights=weights, return_state=True)
        assert first.tolist() == [[6.0]]
        # The second sees 8, 8, 6.
        assert output.tolist() == second.tolist() == [[12.0]]


@pytest.mark.parametrize(("merge_mode", "expected"), [
    ("sum", [18.5, 13.0, 8.0]), ("mul", [84.0, 40.0, 12.0]), ("ave", [9.25, 6.5, 4.0]),
])  # fmt: skip
def test_both_directions_meet_at_the_same_step(merge_mode: str, expected: list[float]) -> None:
    weights = {f"{way}/{name}": v for way in ("forward", "backward") for name, v in HALVING.items()}
    layer = nested("SimpleRNN", units=1, activation=None, return_sequences=True)
    result = call("Bidirectional", STEPS, layer=layer, merge_mode=merge_mode, weights=weights)
    assert result.ravel().tolist() == expected


def test_a_convolutional_lstm_on_one_pixel_is_an_lstm() -> None:
    random = np.random.RandomState(1)
    x = random.uniform(-1, 1, (2, 4, 3))
    kernel, recurrent, bias = (random.uniform(-1, 1, s) for s in ((3, 8), (2, 8), (8,)))
    flat = {"kernel": kernel, "recurrent_kernel": recurrent, "bias": bias}
    framed = {**flat, "kernel": kernel[None, None], "recurrent_kernel": recurrent[None, None]}
    expected = call("LSTM", x, units=2, weights=flat)
    result = call("ConvLSTM2D", x[:, :, None, None], filters=2, kernel_size=1, weights=framed)
    np.testing.assert_allclose(result[:, 0, 0], expected)


def test_spectral_normalization_finds_the_largest_singular_value() -> None:
    kernel = [[3.0, 0.0], [0.0, 1.0]]
    result, state = run(
        "SpectralNormalization", [[1.0, 1.0]], layer=nested("Dense", units=2, use_bias=False),
        power_iterations=40, weights={"kernel": kernel, "vector_u": [[1.0, 1.0]]}, training=True,
    )  # fmt: skip
    np.testing.assert_allclose(result, [[1.0, 1 / 3]])
    np.testing.assert_allclose(state["vector_u"], [[1.0, 0.0]], atol=1e-9)


# ----------------------------------------------------------------------- attention


def test_attention_to_equal_keys_is_a_mean_of_what_is_not_masked() -> None:
    query = np.ones((1, 2, 1))
    value = np.array([[[1.0], [2.0], [6.0]]])
    key = np.zeros((1, 3, 1))
    masks = [np.array([[True, False]]), np.array([[True, True, False]])]
    result, scores = call(
        "Attention", [query, value, key],
        keywords={"mask": masks, "return_attention_scores": True},
    )  # fmt: skip
    assert result.ravel().tolist() == [1.5, 0.0]
    assert scores.tolist() == [[[0.5, 0.5, 0.0]] * 2]
    causal = call("Attention", [query, value, key], keywords={"use_causal_mask": True})
    assert causal.ravel().tolist() == [1.0, 1.5]


def test_attention_to_nothing_is_not_claimed() -> None:
    x = np.ones((1, 1, 1))
    masks = [np.array([[True]]), np.array([[False]])]
    with pytest.raises(Unsupported):
        call("Attention", [x, x], keywords={"mask": masks})


def _projections(heads: int, key_heads: int) -> dict[str, Any]:
    """Projections that copy one feature to every head and add all heads up."""
    weights = {"query/kernel": np.ones((1, heads, 1)), "key/kernel": np.zeros((1, key_heads, 1))}
    spread = np.arange(1.0, key_heads + 1).reshape(1, key_heads, 1)
    return {**weights, "value/kernel": spread, "attention_output/kernel": np.ones((heads, 1, 1))}


def test_multi_head_attention_within_a_window() -> None:
    x = np.arange(4.0).reshape(1, 4, 1)
    result = call(
        "MultiHeadAttention", x, x, num_heads=2, key_dim=1, use_bias=False, sliding_window=2,
        weights=_projections(2, 2),
    )  # fmt: skip
    means = np.array([0.5, 1.0, 2.0, 2.5])
    np.testing.assert_allclose(result.ravel(), means * (1 + 2))


def test_neighbouring_query_heads_share_a_key_head() -> None:
    x = np.ones((1, 2, 1))
    result = call(
        "GroupQueryAttention", x, x, head_dim=1, num_query_heads=4, num_key_value_heads=2,
        use_bias=False, weights=_projections(4, 2),
    )  # fmt: skip
    np.testing.assert_allclose(result.ravel(), [2 * (1 + 2)] * 2)


def test_attention_along_one_axis_of_an_image_leaves_the_other_alone() -> None:
    x = np.arange(6.0).reshape(1, 2, 3, 1)
    result = call(
        "MultiHeadAttention", x, x, num_heads=1, key_dim=1, use_bias=False, attention_axes=[2],
        weights=_projections(1, 1),
    )  # fmt: skip
    np.testing.assert_allclose(result[..., 0], [[[1.0] * 3, [4.0] * 3]])


# ------------------------------------------------------- normalization and merging


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


def test_dot_as_documented() -> None:
    x, y = np.zeros((2, 3, 5)), np.zeros((2, 10, 3))
    assert call("Dot", [x, y], axes=[1, 2]).shape == (2, 5, 10)
    cosine = call("Dot", [np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]])], axes=1, normalize=True)
    assert cosine.item() == pytest.approx(0.96)


# ----------------------------------------------------------- core and preprocessing


@pytest.mark.parametrize(("op", "x", "params", "expected"), [
    # Printed in Keras' documentation.
    ("Discretization", [[-1.5, 1.0, 3.4, 0.5], [0.0, 3.0, 1.3, 0.0]],
     {"bin_boundaries": [0.0, 1.0, 2.0]}, [[0, 2, 3, 1], [1, 3, 2, 1]]),
    ("CategoryEncoding", [3, 2, 0, 1], {"num_tokens": 4, "output_mode": "one_hot"},
     [[0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]]),
    ("CategoryEncoding", [[0, 1], [0, 0], [1, 2], [3, 1]],
     {"num_tokens": 4, "output_mode": "multi_hot"},
     [[1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 1]]),
    ("IntegerLookup", [[12, 1138, 42], [42, 1000, 36]], {"vocabulary": [12, 36, 1138, 42]},
     [[1, 3, 4], [4, 0, 2]]),
    ("IntegerLookup", [[12, 1138, 42], [37, 1000, 36]],
     {"vocabulary": [12, 36, 1138, 42], "num_oov_indices": 2}, [[2, 4, 5], [1, 0, 3]]),
    ("IntegerLookup", [[1, 3, 4], [4, 0, 2]], {"vocabulary": [12, 36, 1138, 42], "invert": True},
     [[12, 1138, 42], [42, -1, 36]]),
    ("IntegerLookup", [[12, 1138, 42, 42], [42, 7, 36, 7]],
     {"vocabulary": [12, 36, 1138, 42], "output_mode": "count"},
     [[0, 1, 0, 1, 2], [2, 0, 1, 0, 1]]),
    ("Normalization", [[1.0], [2.0], [3.0]], {"mean": 3.0, "variance": 2.0},
     [[-1.4142135], [-0.70710677], [0.0]]),
    ("Solarization", [[[59.0], [62.0], [63.0]]], {}, [[[196.0], [193.0], [192.0]]]),
    ("AutoContrast", [[[0.0], [1.0]]], {}, [[[0.0], [255.0]]]),
    ("Rescaling", [0.0, 255.0], {"scale": 1 / 127.5, "offset": -1}, [-1.0, 1.0]),
    ("Masking", [[[0.0], [2.0]]], {}, [[[0.0], [2.0]]]),
    ("Dropout", [1.0, 2.0], {"rate": 0.5}, [1.0, 2.0]),
])  # fmt: skip
def test_documented_examples(op: str, x: Any, params: dict[str, Any], expected: Any) -> None:
    np.testing.assert_allclose(call(op, x, **params), expected, rtol=1e-6)


def test_counts_are_weighted() -> None:
    result = call(
        "CategoryEncoding", [[0, 1], [0, 0], [1, 2], [3, 1]], num_tokens=4, output_mode="count",
        keywords={"count_weights": [[0.1, 0.2], [0.1, 0.1], [0.2, 0.3], [0.4, 0.2]]},
    )  # fmt: skip
    expected = [[0.1, 0.2, 0, 0], [0.2, 0, 0, 0], [0, 0.2, 0.3, 0], [0, 0.2, 0, 0.4]]
    np.testing.assert_allclose(result, expected)


def test_farmhash_of_short_strings() -> None:
    # Printed in the documentation of Hashing: A to E into three bins.
    assert [farmhash.fingerprint(c.encode()) % 3 for c in "ABCDE"] == [1, 0, 1, 1, 2]


def test_a_bias_lines_up_with_its_letters() -> None:
    weights = {"kernel": np.zeros((1, 2, 3)), "bias": [[10.0], [20.0]]}
    result = call(
        "EinsumDense", np.zeros((1, 1)), equation="ab,bcd->acd", output_shape=[2, 3],
        bias_axes="c", weights=weights,
    )  # fmt: skip
    assert result.tolist() == [[[10.0] * 3, [20.0] * 3]]


def test_ids_without_a_row_are_not_claimed() -> None:
    table = {"embeddings": [[1.0], [2.0]]}
    assert call("Embedding", [1, 0], input_dim=2, output_dim=1, weights=table).tolist() == [
        [2],
        [1],
    ]
    with pytest.raises(Unsupported):
        call("Embedding", [2], input_dim=2, output_dim=1, weights=table)


def test_the_spectrum_of_a_constant_is_at_zero_frequency() -> None:
    x = np.ones((1, 8, 1))
    result = call(
        "STFTSpectrogram", x, mode="psd", frame_length=4, scaling="spectrum", periodic=True
    )
    np.testing.assert_allclose(result[0, :, 0], 1.0)
    assert np.argmax(result[0, 0]) == 0


def test_decibels_never_fall_below_the_cut() -> None:
    x = np.random.RandomState(3).uniform(-1, 1, 60)
    options = {"fft_length": 8, "sequence_stride": 4, "num_mel_bins": 3, "sampling_rate": 100}
    level = call("MelSpectrogram", x, min_freq=1.0, top_db=5.0, **options)
    assert level.shape == (3, 16)
    assert level.min() == pytest.approx(level.max() - 5.0)
