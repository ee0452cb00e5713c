"""Keras 2: what of Keras 3's words it has, with the same meaning, on all of its backends."""

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.libraries._base import Dialect, Library
from assay.ops import Choice, OpSpec, Parameter, parameter
from assay_worker.libraries._base import NotOffered
from assay_worker.libraries.keras2 import meaning, settings

_NAMES = {
    "activations": """
        elu exponential linear relu selu sigmoid softmax softplus softsign tanh
    """,
    "constraints": """
        MaxNorm MinMaxNorm NonNeg UnitNorm
    """,
    "layers": """
        Activation ActivityRegularization Add AlphaDropout Average AveragePooling1D
        AveragePooling2D AveragePooling3D BatchNormalization Bidirectional Concatenate Conv1D
        Conv2D Conv2DTranspose Conv3D Conv3DTranspose ConvLSTM2D Cropping1D Cropping2D Cropping3D
        Dense DepthwiseConv2D Dot Dropout ELU Embedding Flatten GRU GRUCell GaussianDropout
        GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D
        GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D LSTM LSTMCell LeakyReLU Masking
        MaxPooling1D MaxPooling2D MaxPooling3D Maximum Minimum Multiply PReLU Permute RNN ReLU
        RepeatVector Reshape SeparableConv1D SeparableConv2D SimpleRNN SimpleRNNCell Softmax
        SpatialDropout1D SpatialDropout2D SpatialDropout3D Subtract TimeDistributed UpSampling1D
        UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D ZeroPadding3D
    """,
    "losses": """
        BinaryCrossentropy CategoricalCrossentropy CategoricalHinge Hinge Huber KLDivergence
        LogCosh MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError
        MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge
    """,
    "regularizers": """
        L1L2
    """,
}

#: Layers that do something else in training.
_TRAINED = """
    AlphaDropout BatchNormalization Bidirectional ConvLSTM2D Dropout GRU GaussianDropout
    GaussianNoise LSTM RNN SimpleRNN SpatialDropout1D SpatialDropout2D SpatialDropout3D
    TimeDistributed
"""
#: CNTK differentiates only with arrays at hand; Theano raises where nothing leads to a tensor.
_GRADIENT = """\
def gradient(loss, source, tensors, arrays):
    if K.backend() == "cntk":
        if source.uid not in [item.uid for item in loss.arguments + loss.parameters]:
            return None
        fed = dict(zip(tensors, arrays))
        fed = {item: fed[item].astype("float32") for item in loss.arguments}
        return loss.grad(fed, wrt=[source])
    if K.backend() == "theano":
        import theano
        found = theano.grad(loss, source, disconnected_inputs="ignore")
    else:
        (found,) = K.gradients(loss, [source])
    return None if found is None else K.function(tensors, [found])(arrays)[0]"""


def _told(op: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a call as Keras 2 has them, those of layers inside too."""
    return {name: _value(given) for name, given in meaning.told(op, params).items()}


def _value(given: Any) -> Any:
    if isinstance(given, dict) and "$op" in given:
        return {**given, "params": _told(given["$op"], given.get("params", {}))}
    return [_value(item) for item in given] if isinstance(given, (list, tuple)) else given


#: Parameters that came after Keras 2: of all ops, and of families of them.
_LATER = {
    "": {
        "backward_layer",
        "groups",
        "ignore_class",
        "keepdims",
        "renorm",
        "zero_output_for_mask",
    },
    "keras.losses.": {"axis"},
    "keras.layers.ZeroPadding1D": {"data_format"},
    "keras.layers.ConvLSTM2D": {"return_state"},
}


def _narrow(spec: OpSpec) -> OpSpec:
    """Without parameters and values that Keras 2 has not, or means something else by."""
    later = {name for root, names in _LATER.items() if spec.name.startswith(root) for name in names}

    def narrowed(item: Parameter) -> Parameter:
        if item.name in later:  # the shape rule reads it
            return parameter(item.name, item.default, valid=(item.default,))
        valid, boundary = (
            tuple(choice for choice in choices if _means_it(spec.name, item, choice))
            for choices in (item.valid, item.boundary)
        )
        return msgspec.structs.replace(item, valid=valid, boundary=boundary)

    return msgspec.structs.replace(spec, parameters=tuple(map(narrowed, spec.parameters)))


def _means_it(op: str, item: Parameter, choice: Choice) -> bool:
    try:
        meaning.refuse_other_meanings(op, {item.name: choice.value})
    except NotOffered:
        return False
    return True


LIBRARY = Library(
    name="keras2",
    root="keras",
    dialect=Dialect(
        imports=("keras", "keras.backend as K"),
        array="np.asarray({})",
        total="K.sum({})",
        gradient=_GRADIENT,
        chosen="KERAS_BACKEND",
        variables=settings.VARIABLES,
        until="2.4",
        builds=True,
        trained=tuple(f"keras.layers.{name}" for name in _TRAINED.split()),
        told=_told,
        copy="K.identity({})",
    ),
    narrow=_narrow,
    only=tuple(
        f"keras.{family}.{name}" for family, names in _NAMES.items() for name in names.split()
    ),
)
