"""Recurrent layers, worked out by hand."""

import math
from typing import Any

import numpy as np
import pytest

from tests.reference.layers.calls import HALVING, STEPS, call, nested, run


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


def test_a_convolutional_lstm_on_one_pixel_is_an_lstm() -> None:
    random = np.random.RandomState(1)
    x = random.uniform(-1, 1, (2, 4, 3))
    kernel, recurrent, bias = (random.uniform(-1, 1, s) for s in ((3, 8), (2, 8), (8,)))
    flat = {"kernel": kernel, "recurrent_kernel": recurrent, "bias": bias}
    framed = {**flat, "kernel": kernel[None, None], "recurrent_kernel": recurrent[None, None]}
    expected = call("LSTM", x, units=2, weights=flat)
    result = call("ConvLSTM2D", x[:, :, None, None], filters=2, kernel_size=1, weights=framed)
    np.testing.assert_allclose(result[:, 0, 0], expected)
