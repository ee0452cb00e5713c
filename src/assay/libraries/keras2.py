"""Keras 2: what of Keras 3's words it has, with the same meaning, on all of its backends."""

from assay.libraries._base import Library

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

LIBRARY = Library(
    name="keras2",
    root="keras",
    only=tuple(
        f"keras.{family}.{name}" for family, names in _NAMES.items() for name in names.split()
    ),
)
