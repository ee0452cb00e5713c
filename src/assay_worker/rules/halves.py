"""A sequence in two calls, the state handed on, gives what it gives in one."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def torch_in_two(function):
    import torch

    def second(input, *state):
        axis = 1 if function.batch_first and input.dim() == 3 else 0
        place = input.shape[axis] // 2
        rest = input.shape[axis] - place
        before, between = function(input.narrow(axis, 0, place), *state)
        after, last = function(input.narrow(axis, place, rest), between)
        return torch.cat([before, after], axis), last

    return second


def keras_in_two(function):
    import keras

    twin = type(function).from_config(dict(function.get_config(), stateful=True))

    def second(inputs):
        if not twin.built:
            twin.build(inputs.shape)
        twin.set_weights(function.get_weights())
        twin.reset_state()
        place = inputs.shape[1] // 2
        before, after = twin(inputs[:, :place]), twin(inputs[:, place:])
        if not function.return_sequences:
            return after
        if function.return_state:
            joined = keras.ops.concatenate([before[0], after[0]], 1)
            return [joined] + list(after[1:])
        return keras.ops.concatenate([before, after], 1)

    return second


class Halves(Rule):
    """Of Keras by a stateful layer, of PyTorch by the state that it gives."""

    name = "halves"
    says = "one long sequence ≡ its halves, one after the other"
    domain = "recurrent layers that go forwards, of sequences with at least two steps"
    programs = {"torch": torch_in_two, "keras": keras_in_two}

    def applies(self, facts):
        """The state that is handed on must be all that the other direction knows."""
        space, _, own = facts.api.rpartition(".")
        shapes = [item["shape"] for item in facts.inputs]
        if not shapes or len(shapes[0]) < 2 or 0 in shapes[0]:
            return False
        if facts.library == "torch":
            first = bool(given(facts, "batch_first", "batch_first")) and len(shapes[0]) == 3
            known = space == "torch.nn" and own in ("RNN", "LSTM", "GRU")
            told = ("dropout", "bidirectional")
            calm = not any(given(facts, name, name) for name in told)
            return known and calm and shapes[0][1 if first else 0] > 1
        told = ("go_backwards", "stateful", "dropout", "recurrent_dropout")
        plain = not any(given(facts, name, name) for name in told) and not facts.arguments
        known = space == "keras.layers" and own in ("LSTM", "GRU", "SimpleRNN")
        return known and plain and len(shapes) == 1 and shapes[0][1] > 1


RULE = Halves()
