"""The cases on which the reference is compared with real backends, by name."""

import random
from typing import Any

from tests.reference.cases import case, chain

Cases = dict[str, dict[str, Any]]
_INFINITY, _NAN = float("inf"), float("nan")

_ACTIVATIONS = [
    "celu",
    "elu",
    "exponential",
    "gelu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "swish",
    "tanh",
    "tanh_shrink",
    "glu",
]
_UNARY = [
    "exp",
    "exp2",
    "expm1",
    "sin",
    "cos",
    "tan",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "erf",
    "floor",
    "ceil",
    "trunc",
    "abs",
    "absolute",
    "negative",
    "square",
    "sign",
    "isnan",
    "isinf",
    "isfinite",
    "relu",
]
_UNARY_POSITIVE = ["log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal"]
_UNARY_UNIT = ["arcsin", "arccos", "arctanh", "erfinv"]
_BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "true_divide",
    "maximum",
    "minimum",
    "hypot",
    "logaddexp",
    "arctan2",
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
]
_BINARY_INTEGERS = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "equal", "less"]


def _convolutions() -> Cases:
    """Every relation of kernel, stride, padding, dilation, groups and layout."""
    draw = random.Random(1)
    found: Cases = {}
    for index in range(24):
        rank = draw.choice((1, 2, 2, 2, 3))
        strides = draw.choice((1, 1, 2, 3))
        first = draw.random() < 0.25
        groups = draw.choice((1, 1, 2))
        kernel = [draw.choice((1, 2, 3, 4)) for _ in range(rank)]
        padding = draw.choice(("valid", "same") + (("causal",) if rank == 1 else ()))
        dilation = 1 if strides > 1 or padding == "valid" else draw.choice((1, 2))
        params = {
            "filters": 2 * draw.choice((1, 2)),
            "kernel_size": kernel,
            "strides": strides,
            "padding": padding,
            "dilation_rate": dilation,
            "groups": groups,
            "data_format": "channels_first" if first else "channels_last",
            "use_bias": draw.random() < 0.7,
            "activation": draw.choice((None, "relu", "tanh")),
        }
        spatial = [draw.choice((4, 5, 7)) for _ in range(rank)]
        shape = [2, 4, *spatial] if first else [2, *spatial, 4]
        found[f"conv-{index}"] = case(f"keras.layers.Conv{rank}D", tuple(shape), params)
        if rank < 3 and padding != "causal":
            depthwise = {k: v for k, v in params.items() if k not in ("filters", "groups")}
            depthwise["depth_multiplier"] = draw.choice((1, 2))
            name = f"keras.layers.DepthwiseConv{rank}D"
            found[f"depthwise-{index}"] = case(name, tuple(shape), depthwise)
    return found


def _poolings() -> Cases:
    draw = random.Random(2)
    found: Cases = {}
    for index in range(20):
        rank = draw.choice((1, 2, 2, 3))
        params = {
            "pool_size": [draw.choice((1, 2, 3)) for _ in range(rank)],
            "strides": draw.choice((None, 1, 2, 3)),
            "padding": draw.choice(("valid", "same")),
        }
        shape = (2, *(draw.choice((4, 5, 7)) for _ in range(rank)), 3)
        for kind in ("Average", "Max"):
            name = f"keras.layers.{kind}Pooling{rank}D"
            found[f"{kind.lower()}-pool-{index}"] = case(name, shape, params)
    for rank in (1, 2, 3):
        shape = (*(2, 3, 4, 5, 2)[: rank + 1], 2)
        for kind in ("Average", "Max"):
            name = f"keras.layers.Global{kind}Pooling{rank}D"
            found[f"global-{kind.lower()}-{rank}"] = case(name, shape)
    first = {"data_format": "channels_first", "keepdims": True}
    found["global-first"] = case("keras.layers.GlobalAveragePooling2D", (2, 3, 4, 5), first)
    found["max-pool-first"] = case(
        "keras.layers.MaxPooling2D", (2, 3, 4, 5), {"data_format": "channels_first"}
    )
    # Odd total padding: the torch backend averages over invented cells (known bug K01).
    found["average-same-odd"] = case(
        "keras.layers.AveragePooling2D",
        (1, 5, 6, 1),
        {"pool_size": 2, "strides": 1, "padding": "same"},
    )
    return found


def _layers() -> Cases:
    layer = "keras.layers."
    return {
        "dense": case(layer + "Dense", (3, 4), {"units": 5, "activation": "gelu"}),
        "dense-rank-3": case(layer + "Dense", (3, 2, 4), {"units": 5, "use_bias": False}),
        "dense-nested": case(
            layer + "Dense",
            (3, 4),
            {"units": 5, "activation": {"$op": layer + "ReLU", "params": {"max_value": 0.5}}},
        ),
        "dense-batch-0": case(layer + "Dense", (0, 4), {"units": 5}),
        "batch": case(layer + "BatchNormalization", (3, 4, 5)),
        "batch-axis": case(
            layer + "BatchNormalization", (3, 4, 5), {"axis": 1, "scale": False, "epsilon": 0.1}
        ),
        "batch-training": case(
            layer + "BatchNormalization", (3, 4, 5), {"momentum": 0.5, "axis": -2}, training=True
        ),
        "batch-training-no-center": case(
            layer + "BatchNormalization", (6, 2), {"center": False}, training=True
        ),
        "layer": case(layer + "LayerNormalization", (3, 4, 5)),
        "layer-axes": case(layer + "LayerNormalization", (3, 4, 5), {"axis": [2, 1]}),
        "layer-middle": case(layer + "LayerNormalization", (3, 4, 5), {"axis": 1, "center": False}),
        "unit": case(layer + "UnitNormalization", (3, 4)),
        "unit-axes": case(layer + "UnitNormalization", (3, 4, 5), {"axis": [1, 2]}),
        "unit-zero": case(layer + "UnitNormalization", (2, 3), values=[[[0, 0, 0], [3, 0, 4]]]),
        "pad-1d": case(layer + "ZeroPadding1D", (2, 3, 2), {"padding": [2, 1]}),
        "pad-2d": case(layer + "ZeroPadding2D", (2, 3, 4, 2), {"padding": [[1, 2], [0, 3]]}),
        "pad-2d-first": case(
            layer + "ZeroPadding2D",
            (2, 3, 4, 2),
            {"padding": [1, 2], "data_format": "channels_first"},
        ),
        "pad-3d": case(layer + "ZeroPadding3D", (1, 2, 3, 4, 2), {"padding": 1}),
        "up-1d": case(layer + "UpSampling1D", (2, 3, 2), {"size": 3}),
        "up-2d": case(layer + "UpSampling2D", (2, 3, 4, 2), {"size": [2, 3]}),
        "up-2d-first": case(
            layer + "UpSampling2D", (2, 3, 4, 2), {"data_format": "channels_first"}
        ),
        "up-3d": case(layer + "UpSampling3D", (1, 2, 3, 2, 2), {"size": [1, 2, 3]}),
        "flatten": case(layer + "Flatten", (2, 3, 4, 5)),
        "flatten-first": case(layer + "Flatten", (2, 3, 4, 5), {"data_format": "channels_first"}),
        "flatten-rank-1": case(layer + "Flatten", (3,)),
        "flatten-batch-0": case(layer + "Flatten", (0, 3, 4)),
        "reshape": case(layer + "Reshape", (2, 3, 4), {"target_shape": [2, -1]}),
        "permute": case(layer + "Permute", (2, 3, 4, 5), {"dims": [3, 1, 2]}),
        "softmax": case(layer + "Softmax", (2, 3, 4), {"axis": 1}),
        "softmax-axes": case(layer + "Softmax", (2, 3, 4), {"axis": [1, 2]}),
        "softmax-apart": case(layer + "Softmax", (2, 3, 4), {"axis": [0, -1]}),
        "relu-all": case(
            layer + "ReLU",
            (3, 7),
            {"max_value": 1.5, "negative_slope": 0.25, "threshold": 0.5},
            low=-3,
            high=3,
        ),
        "relu-threshold": case(
            layer + "ReLU", (4,), {"threshold": 0.5}, values=[[0.5, 0.25, 0.75, -1.0]]
        ),
        "leaky": case(layer + "LeakyReLU", (3, 7)),
        "elu": case(layer + "ELU", (3, 7), {"alpha": 0.5}),
        "activation": case(layer + "Activation", (3, 7), {"activation": "mish"}),
        "add": case(layer + "Add", [(2, 3), (2, 3), (2, 1)], as_list=True),
        "subtract": case(layer + "Subtract", [(2, 3), (2, 3)], as_list=True),
        "multiply": case(layer + "Multiply", [(2, 3), (2, 3), (2, 3)], as_list=True),
        "average": case(layer + "Average", [(2, 3), (2, 3), (2, 3)], as_list=True),
        "maximum": case(layer + "Maximum", [(2, 3), (2, 3)], as_list=True),
        "minimum": case(layer + "Minimum", [(2, 3), (2, 3)], as_list=True),
        "concatenate": case(layer + "Concatenate", [(2, 3), (2, 1)], {"axis": -1}, as_list=True),
        "concatenate-1": case(
            layer + "Concatenate", [(2, 3, 2), (2, 1, 2)], {"axis": 1}, as_list=True
        ),
    }


def _functions() -> Cases:
    found: Cases = {}
    for name in _ACTIVATIONS:
        op = "keras.activations." + name
        found[f"activation-{name}"] = case(op, (3, 6), low=-5, high=5)
    found["activation-threshold"] = case(
        "keras.activations.threshold", (3, 6), {"threshold": 0.5, "default_value": -7.0}
    )
    found["activation-gelu-approximate"] = case(
        "keras.activations.gelu", (3, 6), {"approximate": True}
    )
    found["activation-celu-alpha"] = case("keras.activations.celu", (3, 6), {"alpha": 0.5})
    found["activation-sparsemax-support"] = case(
        "keras.activations.sparsemax", (1, 3), values=[[[1.0, 2.0, 1.5]]]
    )
    found["activation-sparsemax-axis"] = case("keras.activations.sparsemax", (3, 5), {"axis": 0})
    for names, low, high in (
        (_UNARY, -3, 3),
        (_UNARY_POSITIVE, 0.1, 3),
        (_UNARY_UNIT, -0.95, 0.95),
        (["arccosh"], 1.1, 3),
    ):
        for name in names:
            found[f"op-{name}"] = case("keras.ops." + name, (3, 5), low=low, high=high)
    for name in _BINARY:
        found[f"op-{name}"] = case("keras.ops." + name, [(3, 5), (1, 5)])
    for name in _BINARY_INTEGERS:
        found[f"int-{name}"] = case("keras.ops." + name, [(3, 5), (3, 5)], dtype="int32")
    for name in ("sum", "mean", "max", "min", "var", "std", "logsumexp"):
        op = "keras.ops." + name
        found[f"op-{name}"] = case(op, (3, 4, 2))
        found[f"op-{name}-axes"] = case(op, (3, 4, 2), {"axis": [0, -1], "keepdims": True})
        if name != "logsumexp":
            found[f"int-{name}"] = case(op, (3, 4), {"axis": 1}, dtype="int32")
    found["op-softmax"] = case("keras.ops.softmax", (3, 4, 2), {"axis": 1})
    found["op-log-softmax"] = case("keras.ops.log_softmax", (3, 4, 2), {"axis": -2})
    for k in (0, 1, 2, 3, -1):
        found[f"op-rot90-{k}"] = case("keras.ops.rot90", (3, 5), {"k": k})
    found["op-roll"] = case("keras.ops.roll", (3, 5), {"shift": 2, "axis": 1})
    found["op-roll-flat"] = case("keras.ops.roll", (3, 5), {"shift": -4})
    found["op-roll-axes"] = case("keras.ops.roll", (3, 5), {"shift": 1, "axis": [0, 1]})
    found["op-flip"] = case("keras.ops.flip", (3, 5), {"axis": 0})
    found["op-transpose"] = case("keras.ops.transpose", (3, 5, 2), {"axes": [2, 0, 1]})
    found["op-reshape"] = case("keras.ops.reshape", (3, 4), {"newshape": [2, -1]})
    found["op-expand"] = case("keras.ops.expand_dims", (3, 4), {"axis": 1})
    found["op-squeeze"] = case("keras.ops.squeeze", (3, 1, 4), {"axis": 1})
    found["op-concatenate"] = case(
        "keras.ops.concatenate", [(3, 4), (1, 4)], {"axis": 0}, as_list=True
    )
    found["op-stack"] = case("keras.ops.stack", [(3, 4), (3, 4)], {"axis": -1}, as_list=True)
    for mode in [
        "constant",
        "edge",
        "linear_ramp",
        "maximum",
        "mean",
        "median",
        "minimum",
        "reflect",
        "symmetric",
        "wrap",
        "circular",
    ]:
        params = {"pad_width": [[2, 1], [0, 3]], "mode": mode}
        found[f"op-pad-{mode}"] = case("keras.ops.pad", (4, 5), params)
    found["op-pad-value"] = case("keras.ops.pad", (4, 5), {"pad_width": 2, "constant_values": 3.0})
    return found


def _specials() -> Cases:
    """NaN, infinities and zeros, where mathematics has one answer."""
    special = [[0.0, -0.0, 1.0, -1.0, _INFINITY, -_INFINITY, _NAN, 1e30]]
    found: Cases = {}
    for name in ("relu", "sigmoid", "tanh", "softplus", "elu", "hard_tanh", "exponential"):
        found[f"special-{name}"] = case("keras.activations." + name, (8,), values=special)
    for name in ("exp", "log1p", "abs", "sign", "floor", "isfinite"):
        found[f"special-op-{name}"] = case("keras.ops." + name, (8,), values=special)
    pairs = [special[0][:6], [0.0, 1.0, _INFINITY, -_INFINITY, -_INFINITY, 2.0]]
    for name in ("add", "multiply", "divide", "maximum", "logaddexp", "hypot"):
        found[f"special-op-{name}"] = case("keras.ops." + name, [(6,), (6,)], values=pairs)
    return found


def _gradients() -> Cases:
    layer = "keras.layers."
    labels = {"kind": "uniform", "seed": 9, "low": -1.0, "high": 1.0}

    def loss(name: str) -> dict[str, Any]:
        return {
            "kind": "op",
            "op": "keras.losses." + name,
            "labels": labels,
            "label_shape": [3, 4],
            "label_dtype": "float32",
            "params": {},
        }

    found = {
        "gradient-chain": chain(),
        "gradient-conv": case(
            layer + "Conv2D", (1, 3, 4, 1), {"filters": 2, "kernel_size": 2}, stage="gradient"
        ),
        "gradient-layer-norm": case(layer + "LayerNormalization", (2, 5), stage="gradient"),
        "gradient-mse": case(
            layer + "Activation", (3, 4), {"activation": "tanh"}, stage="gradient",
            loss=loss("MeanSquaredError"),
        ),
        "gradient-mae": case(
            layer + "Activation", (3, 4), {"activation": "tanh"}, stage="gradient",
            loss=loss("MeanAbsoluteError"),
        ),
        "gradient-hypot-ties": case(
            "keras.ops.hypot", [(5,), (5,)], stage="gradient",
            values=[[1, 2, -3, 0.5, 4], [1, -2, -3, 1, 5]],
        ),
        "gradient-celu-zero": case(
            "keras.activations.celu", (5,), stage="gradient", values=[[0, -1, 1, 0, 2]]
        ),
        "gradient-log-small": case(
            "keras.ops.log", (5,), stage="gradient", values=[[1e-6, 1e-3, 0.1, 1, 1e6]]
        ),
    }  # fmt: skip
    for name in _ACTIVATIONS:
        found[f"gradient-{name}"] = case(
            "keras.activations." + name, (3, 6), stage="gradient", low=-4, high=4
        )
    return found


def cases() -> Cases:
    """All of them."""
    found: Cases = {}
    for part in (_convolutions, _poolings, _layers, _functions, _specials, _gradients):
        for name, item in part().items():
            assert name not in found, name
            found[name] = item
    return found
