"""A function and the layer, or the operator, that is made of it give the same."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import words


def torch_functional(function):
    import torch

    functional = torch.nn.functional
    layer = function

    def convolved(name):
        def call(x):
            own = (layer.stride, layer.padding, layer.dilation, layer.groups)
            return getattr(functional, name)(x, layer.weight, layer.bias, *own)

        return call

    def transposed(name):
        def call(x):
            own = (layer.stride, layer.padding, layer.output_padding, layer.groups, layer.dilation)
            return getattr(functional, name)(x, layer.weight, layer.bias, *own)

        return call

    def told(name, *attributes):
        def call(*tensors):
            own = {attribute: getattr(layer, attribute) for attribute in attributes}
            return getattr(functional, name)(*tensors, **own)

        return call

    pool = ("kernel_size", "stride", "padding")
    most = pool + ("dilation", "ceil_mode", "return_indices")
    mean = pool + ("ceil_mode", "count_include_pad")
    calls = {
        "Linear": lambda x: functional.linear(x, layer.weight, layer.bias),
        "Bilinear": lambda x, y: functional.bilinear(x, y, layer.weight, layer.bias),
        "Conv1d": convolved("conv1d"),
        "Conv2d": convolved("conv2d"),
        "Conv3d": convolved("conv3d"),
        "ConvTranspose1d": transposed("conv_transpose1d"),
        "ConvTranspose2d": transposed("conv_transpose2d"),
        "ConvTranspose3d": transposed("conv_transpose3d"),
        "MaxPool1d": told("max_pool1d", *most),
        "MaxPool2d": told("max_pool2d", *most),
        "MaxPool3d": told("max_pool3d", *most),
        "AvgPool1d": told("avg_pool1d", *mean),
        "AvgPool2d": told("avg_pool2d", "divisor_override", *mean),
        "AvgPool3d": told("avg_pool3d", "divisor_override", *mean),
        "LPPool1d": told("lp_pool1d", "norm_type", "kernel_size", "stride", "ceil_mode"),
        "LPPool2d": told("lp_pool2d", "norm_type", "kernel_size", "stride", "ceil_mode"),
        "AdaptiveAvgPool1d": told("adaptive_avg_pool1d", "output_size"),
        "AdaptiveAvgPool2d": told("adaptive_avg_pool2d", "output_size"),
        "AdaptiveAvgPool3d": told("adaptive_avg_pool3d", "output_size"),
        "AdaptiveMaxPool1d": told("adaptive_max_pool1d", "output_size", "return_indices"),
        "AdaptiveMaxPool2d": told("adaptive_max_pool2d", "output_size", "return_indices"),
        "AdaptiveMaxPool3d": told("adaptive_max_pool3d", "output_size", "return_indices"),
        "LayerNorm": told("layer_norm", "normalized_shape", "weight", "bias", "eps"),
        "RMSNorm": told("rms_norm", "normalized_shape", "weight", "eps"),
        "GroupNorm": told("group_norm", "num_groups", "weight", "bias", "eps"),
        "LocalResponseNorm": told("local_response_norm", "size", "alpha", "beta", "k"),
        "Embedding": lambda x: functional.embedding(x, layer.weight),
        "Upsample": told("interpolate", "size", "scale_factor", "mode", "align_corners"),
        "Fold": told("fold", "output_size", "kernel_size", "dilation", "padding", "stride"),
        "Unfold": told("unfold", "kernel_size", "dilation", "padding", "stride"),
        "PixelShuffle": told("pixel_shuffle", "upscale_factor"),
        "PixelUnshuffle": told("pixel_unshuffle", "downscale_factor"),
        "ChannelShuffle": told("channel_shuffle", "groups"),
        "CosineSimilarity": told("cosine_similarity", "dim", "eps"),
        "PReLU": told("prelu", "weight"),
        "CELU": told("celu", "alpha"),
        "ELU": told("elu", "alpha"),
        "GELU": told("gelu", "approximate"),
        "GLU": told("glu", "dim"),
        "Hardshrink": told("hardshrink", "lambd"),
        "Softshrink": told("softshrink", "lambd"),
        "Hardtanh": told("hardtanh", "min_val", "max_val"),
        "LeakyReLU": told("leaky_relu", "negative_slope"),
        "Softplus": told("softplus", "beta", "threshold"),
        "Threshold": told("threshold", "threshold", "value"),
        "Softmax": told("softmax", "dim"),
        "LogSoftmax": told("log_softmax", "dim"),
        "Softmin": told("softmin", "dim"),
        "Hardsigmoid": told("hardsigmoid"),
        "Hardswish": told("hardswish"),
        "LogSigmoid": told("logsigmoid"),
        "Mish": told("mish"),
        "ReLU": told("relu"),
        "ReLU6": told("relu6"),
        "SELU": told("selu"),
        "SiLU": told("silu"),
        "Sigmoid": told("sigmoid"),
        "Softsign": told("softsign"),
        "Tanh": told("tanh"),
        "Tanhshrink": told("tanhshrink"),
        "L1Loss": told("l1_loss", "reduction"),
        "MSELoss": told("mse_loss", "reduction"),
        "SmoothL1Loss": told("smooth_l1_loss", "reduction", "beta"),
        "HuberLoss": told("huber_loss", "reduction", "delta"),
        "KLDivLoss": told("kl_div", "reduction", "log_target"),
        "BCELoss": told("binary_cross_entropy", "weight", "reduction"),
        "SoftMarginLoss": told("soft_margin_loss", "reduction"),
    }
    return calls[type(function).__name__]


def tensorflow_raw(function):
    import tensorflow as tf

    names = {"add": "AddV2", "multiply": "Mul", "subtract": "Sub", "floormod": "FloorMod",
             "floor_mod": "FloorMod", "neg": "Neg"}  # fmt: skip
    own = function.__name__
    name = names.get(own, "".join(part.capitalize() for part in own.split("_")))
    words = ("features",) if own in ("relu", "relu6", "elu", "selu", "softplus", "softsign") else (
        "x", "y")  # fmt: skip

    def second(*args, **kwargs):
        values = list(args) + [value for key, value in kwargs.items() if key != "name"]
        return getattr(tf.raw_ops, name)(**dict(zip(words, values)))

    return second


def jax_primitive(function):
    import jax

    return getattr(jax.lax, function.__name__)


def keras_operation(function):
    import keras

    return getattr(keras.ops, function.__name__)


class Module(Rule):
    """Whatever the one does before it hands on to the other."""

    name = "module"
    says = "layer ≡ function ≡ operator of the same name"
    domain = (
        "torch.nn.X ≡ torch.nn.functional.x; tf.math.x ≡ tf.raw_ops.X; jax.numpy.x ≡ jax.lax.x of "
        "floats; keras.activations.x ≡ keras.ops.x"
    )
    programs = {
        "torch": torch_functional,
        "tensorflow": tensorflow_raw,
        "jax": jax_primitive,
        "keras": keras_operation,
    }
    raising = False
    exact = True
    layers = words(
        """
    Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
    MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d LayerNorm RMSNorm GroupNorm LocalResponseNorm Embedding Upsample Fold
    Unfold PixelShuffle PixelUnshuffle ChannelShuffle CosineSimilarity PReLU CELU ELU GELU GLU
    Hardshrink Softshrink Hardtanh LeakyReLU Softplus Threshold Softmax LogSoftmax Softmin
    Hardsigmoid Hardswish LogSigmoid Mish ReLU ReLU6 SELU SiLU Sigmoid Softsign Tanh
    Tanhshrink L1Loss MSELoss SmoothL1Loss HuberLoss KLDivLoss BCELoss SoftMarginLoss
    """
    )
    unary = words(
        """
    abs acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc exp expm1 floor lgamma
    log log1p negative reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan tanh
    is_finite is_inf is_nan relu relu6 elu selu softplus softsign bessel_i0e bessel_i1e
    """
    )
    binary = words(
        """
    add multiply subtract maximum minimum pow squared_difference xdivy xlogy floormod greater
    greater_equal less less_equal
    """
    )
    primitives = words(
        """
    acos acosh asin asinh atan atanh ceil cos cosh exp exp2 expm1 floor log log1p sin sinh
    sqrt square tan tanh cbrt sign abs
    """
    )
    activations = words(
        """
    relu6 selu silu sigmoid softplus softsign tanh hard_sigmoid hard_silu hard_tanh
    log_sigmoid squareplus sparse_plus sparse_sigmoid sparsemax tanh_shrink
    """
    )

    def applies(self, facts):
        """By names; what a layer does with its input before, the function does not."""
        space, _, own = facts.api.rpartition(".")
        plain = all("complex" not in item["dtype"] for item in facts.inputs)
        if facts.library == "torch":
            reflects = facts.has("padding_mode") or facts.has("max_norm")
            return space == "torch.nn" and own in self.layers and not reflects
        if facts.library == "tensorflow":
            several = len(facts.inputs) == 2 and own in self.binary
            alone = len(facts.inputs) == 1 and own in self.unary
            spaces = ("tf.math", "tf.nn", "tf")
            given = [key for key in facts.arguments if key != "name"]
            same = len(given) == len(facts.inputs)
            return space in spaces and plain and same and (several or alone)
        if facts.library == "jax":
            known = space == "jax.numpy" and own in self.primitives and len(facts.arguments) == 1
            return known and facts.floating
        known = space == "keras.activations" and own in self.activations
        return known and len(facts.inputs) == 1 and not facts.params and not facts.arguments


RULE = Module()
