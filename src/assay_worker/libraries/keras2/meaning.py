"""What a call of the Keras 3 vocabulary means in Keras 2, if it means anything there.

Where a default differs it is said aloud, where a parameter has another name it is
renamed, and where the call would compute another function it is refused: two arms
that compute different functions have nothing to compare.
"""

import inspect

from assay_worker.libraries._base import NotOffered

#: Defaults of Keras 3 that Keras 2 (some or all of its versions) does not share.
_DEFAULTS = {
    "keras.layers.GRU": {"recurrent_activation": "sigmoid", "reset_after": True},
    "keras.layers.GRUCell": {"recurrent_activation": "sigmoid", "reset_after": True},
    "keras.layers.LSTM": {"recurrent_activation": "sigmoid"},
    "keras.layers.LSTMCell": {"recurrent_activation": "sigmoid"},
    "keras.layers.ConvLSTM2D": {"recurrent_activation": "sigmoid"},
}
#: Name in Keras 3 -> name in Keras 2.
_NAMES = {
    "keras.activations.relu": {"negative_slope": "alpha"},
    "keras.layers.LeakyReLU": {"negative_slope": "alpha"},
}
#: Parameters that Keras 2 lacks here or there, with values that mean what it does without them.
_NEUTRAL = {
    "axis": (-1,),
    "backward_layer": (None,),
    "data_format": (None, "channels_last"),
    "dilation_rate": (1,),
    "groups": (1,),
    "ignore_class": (None,),
    "keepdims": (False,),
    "output_padding": (None,),
    "renorm": (False,),
    "reset_after": (False,),
    "return_state": (False,),
    "use_cudnn": ("auto",),
    "zero_output_for_mask": (False,),
}
#: Names of reductions in Keras 3 -> in Keras 2; the last of them where there are no weights.
_REDUCTIONS = {
    None: "none",
    "mean": "sum_over_batch_size",
    "mean_with_sample_weight": "sum_over_batch_size",
}
#: Activations that came after Keras 2.
_NEW_ACTIVATIONS = (
    "celu",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "relu6",
    "silu",
    "soft_shrink",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "swish",
    "tanh_shrink",
    "threshold",
)
#: Families that need more than a graph of tensors, which is what Keras 2 is given here.
_NO_GRAPHS = ("keras.metrics.", "keras.optimizers.", "keras.utils.", "keras.random.", "keras.ops.")
_HARD_SIGMOID = "hard_sigmoid is clip(0.2 x + 0.5, 0, 1) in Keras 2, relu6(x + 3) / 6 in Keras 3"


def resolve(keras, op):
    """The object of an op's path, or ``NotOffered``."""
    if op.startswith(_NO_GRAPHS):
        raise NotOffered("%s: the family %s is not run on Keras 2" % (op, op.split(".")[1]))
    if op == "keras.activations.hard_sigmoid":
        raise NotOffered(_HARD_SIGMOID)
    value = keras
    for part in op.split(".")[1:]:
        if not hasattr(value, part):
            raise NotOffered("Keras %s has no %s" % (keras.__version__, op))
        value = getattr(value, part)
    return value


def parameters_of(op, value):
    """The parameters that an op takes, by the names of the vocabulary."""
    try:
        described = inspect.signature(value.__init__ if isinstance(value, type) else value)
    except ValueError:  # a builtin: nothing is known of it
        return []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    found = [item.name for item in described.parameters.values() if item.kind in named]
    vocabulary = {old: new for new, old in _NAMES.get(op, {}).items()}
    return [vocabulary.get(name, name) for name in found if name != "self"]


def translated(op, value, params):
    """The parameters of a call in the words of Keras 2, or ``NotOffered``."""
    known = parameters_of(op, value)
    said = {}
    for name, given in _asked(op, params).items():
        if name in known:
            said[name] = given
        elif given not in _NEUTRAL.get(name, ()):
            raise NotOffered("%s: this version has no parameter %s=%r" % (op, name, given))
    refuse_other_meanings(op, said)
    return _renamed(op, said)


def told(op, params):
    """The same without Keras 2 at hand, of a call that was made in it.

    Values that change nothing are left out: whether this version has such a parameter or not,
    that is what it does without it.
    """
    asked = _asked(op, params)
    said = {name: given for name, given in asked.items() if given not in _NEUTRAL.get(name, ())}
    return _renamed(op, said)


def _asked(op, params):
    return dict(_DEFAULTS.get(op, {}), **params)


def _renamed(op, params):
    said = dict(params)
    if op.startswith("keras.losses.") and "reduction" in said:
        said["reduction"] = _REDUCTIONS.get(said["reduction"], said["reduction"])
    names = _NAMES.get(op, {})
    return {names.get(name, name): given for name, given in said.items()}


def refuse_other_meanings(op, params):
    """``NotOffered`` where the same words mean another function."""
    for name in ("activation", "recurrent_activation"):
        given = params.get(name)
        if given == "hard_sigmoid":
            raise NotOffered("%s: %s" % (op, _HARD_SIGMOID))
        if given in _NEW_ACTIVATIONS:
            raise NotOffered("%s: Keras 2 has no activation %s" % (op, given))
    if op == "keras.layers.UpSampling2D" and params.get("interpolation") == "bilinear":
        raise NotOffered("bilinear sampling has its pixels at corners in Keras 2, not in centres")
    if op == "keras.losses.Huber" and params.get("reduction", "mean") in ("sum", "none", None):
        raise NotOffered("Huber has one value per element in Keras 2, one per sample in Keras 3")
