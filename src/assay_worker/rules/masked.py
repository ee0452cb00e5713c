"""What a mask hides might as well not be there."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def keras_hidden(function):
    import keras
    import numpy as np

    def first(inputs, **kwargs):
        length = inputs.shape[1] // 2 + 1
        mask = np.arange(inputs.shape[1]) < length
        mask = np.broadcast_to(mask, (inputs.shape[0], inputs.shape[1]))
        result = function(inputs, mask=keras.ops.convert_to_tensor(mask), **kwargs)
        if not getattr(function, "return_sequences", False):
            return result
        if isinstance(result, (list, tuple)):
            return [result[0][:, :length]] + list(result[1:])
        return result[:, :length]

    return first


def keras_cut(function):
    def second(inputs, **kwargs):
        return function(inputs[:, : inputs.shape[1] // 2 + 1], **kwargs)

    return second


def torch_packed(function):
    import torch

    def first(input):
        axis = 1 if function.batch_first else 0
        batch, length = input.shape[1 - axis], input.shape[axis] // 2 + 1
        lengths = torch.full((batch,), length)
        rnn = torch.nn.utils.rnn
        packed = rnn.pack_padded_sequence(input, lengths, function.batch_first)
        result, state = function(packed)
        return rnn.pad_packed_sequence(result, function.batch_first)[0], state

    return first


def torch_cut(function):
    def second(input):
        axis = 1 if function.batch_first else 0
        return function(input.narrow(axis, 0, input.shape[axis] // 2 + 1))

    return second


class Masked(Rule):
    """Steps behind the first half."""

    name = "masked"
    says = "masked, or packed, sequence ≡ the sequence cut to its length"
    domain = (
        "Keras: recurrent layers that go forwards, and means over time; torch: RNN, LSTM and GRU "
        "of packed sequences"
    )
    programs = {"keras": keras_cut, "torch": torch_cut}
    firsts = {"keras": keras_hidden, "torch": torch_packed}
    #: A hidden infinity may still be multiplied by zero.
    special = False
    names = ("LSTM", "GRU", "SimpleRNN", "GlobalAveragePooling1D")

    def applies(self, facts):
        """A batch of sequences with at least two steps."""
        space, _, own = facts.api.rpartition(".")
        shapes = [item["shape"] for item in facts.inputs]
        if not shapes or len(shapes[0]) != 3 or 0 in shapes[0]:
            return False
        if facts.library == "torch":
            named = space == "torch.nn" and own in ("RNN", "LSTM", "GRU")
            return named and len(shapes) == 1 and not facts.has("dropout") and shapes[0][1] > 1
        told = ("go_backwards", "stateful", "keepdims", "mask")
        plain = not any(given(facts, name, name) for name in told)
        last = given(facts, "data_format", "data_format") != "channels_first"
        dropping = any(given(facts, name, name) for name in ("dropout", "recurrent_dropout"))
        known = space == "keras.layers" and own in self.names and shapes[0][1] > 1
        return known and plain and last and not dropping


RULE = Masked()
