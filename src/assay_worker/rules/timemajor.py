"""Time on the first axis gives what it gives on the second, transposed."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def torch_transposed(function):
    import torch

    kind = type(function).__name__
    shared = {
        "MultiheadAttention": ("embed_dim", "num_heads", "add_zero_attn", "kdim", "vdim"),
        "RNN": ("input_size", "hidden_size", "num_layers", "bias", "bidirectional", "nonlinearity"),
        "GRU": ("input_size", "hidden_size", "num_layers", "bias", "bidirectional"),
        "LSTM": ("input_size", "hidden_size", "num_layers", "bias", "bidirectional", "proj_size"),
    }
    own = {name: getattr(function, name) for name in shared[kind]}
    if kind == "MultiheadAttention":
        own.update(bias=function.in_proj_bias is not None, add_bias_kv=function.bias_k is not None)
    dtype = next(function.parameters()).dtype
    twin = getattr(torch.nn, kind)(batch_first=not function.batch_first, dtype=dtype, **own)

    def second(*args):
        twin.load_state_dict(function.state_dict())
        if kind == "MultiheadAttention":
            result, rest = twin(*[value.transpose(0, 1) for value in args])
        else:
            result, rest = twin(args[0].transpose(0, 1), *args[1:])
        return result.transpose(0, 1), rest

    return second


def tensorflow_transposed(function):
    import inspect

    import tensorflow as tf

    def second(*args, **kwargs):
        call = inspect.signature(function).bind(*args, **kwargs)
        told = call.arguments
        if function.__name__.startswith("reverse_sequence"):
            told["input"] = tf.transpose(
                told["input"], [1, 0] + list(range(2, len(told["input"].shape)))
            )
            told["seq_axis"], told["batch_axis"] = 1 - told["seq_axis"], 1 - told["batch_axis"]
            result = function(*call.args, **call.kwargs)
            return tf.transpose(result, [1, 0] + list(range(2, len(result.shape))))
        told["logits"] = tf.transpose(told["logits"], [1, 0, 2])
        told["logits_time_major"] = not told.get("logits_time_major", True)
        return function(*call.args, **call.kwargs)

    return second


class Timemajor(Rule):
    """Recurrent layers, attention, and what else has a time and a batch."""

    name = "timemajor"
    eagle = 10
    says = "time first ≡ batch first, transposed"
    domain = (
        "torch.nn.RNN, LSTM, GRU and MultiheadAttention on batches; tf.nn.ctc_loss of dense "
        "labels, tf.reverse_sequence of the first two axes"
    )
    programs = {"torch": torch_transposed, "tensorflow": tensorflow_transposed}

    def applies(self, facts):
        """Both axes must be there, and nothing must be drawn."""
        if facts.library == "torch":
            own = facts.api in tuple(
                "torch.nn." + name for name in ("RNN", "LSTM", "GRU", "MultiheadAttention")
            )
            calm = not facts.has("dropout") and not facts.has("device")
            batch = bool(facts.inputs) and len(facts.inputs[0]["shape"]) == 3
            attends = facts.api.endswith("MultiheadAttention")
            # Masks have axes of their own.
            return (
                own and calm and batch and (not attends or sorted(facts.arguments) == list("012"))
            )
        if facts.api == "tf.nn.ctc_loss":
            return True
        axes = (given(facts, "seq_axis", 2), given(facts, "batch_axis", 3))
        return facts.api == "tf.reverse_sequence" and sorted(map(str, axes)) == ["0", "1"]


RULE = Timemajor()
