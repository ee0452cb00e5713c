"""Examples for TensorFlow."""

from typing import Any

import numpy as np

from tests.worker.rules.examples import (
    Call,
    Example,
    T,
    by_size,
    numbers,
    scaled,
    shifted,
    where,
)

X = numbers(3, 4)
ONE = {"0": T("x")}
TWO = {"0": T("x"), "1": T("y")}
IMAGE = numbers(2, 6, 6, 4)
KERNEL = numbers(3, 3, 4, 2, seed=1)
PICTURE = np.abs(numbers(6, 5, 3))
EMPTY = Call("tf.range", {"0": 5})
#: It takes arguments by name only.
RAW = Call("tf.raw_ops.Exp", {"x": T("x")}, x=X)


def of_x(api: str, **more: Any) -> Call:
    """Of one tensor."""
    return Call(api, dict(ONE, **more), x=X)


def conv(padding: str = "VALID", api: str = "tf.nn.conv2d", strides: Any = 1, **more: Any) -> Call:
    """Of a picture and a kernel."""
    arguments = dict(TWO, strides=strides, padding=padding, **more)
    return Call(api, arguments, x=IMAGE, y=KERNEL)


def pool(api: str, padding: str = "VALID", **more: Any) -> Call:
    """Of a picture."""
    return Call(api, dict(ONE, ksize=3, strides=2, padding=padding, **more), x=IMAGE)


def in_graph(function: Any) -> Any:
    """Wrong in a graph."""

    def faulty(*args: Any, **kwargs: Any) -> Any:
        import tensorflow as tf

        result = function(*args, **kwargs)
        return result if tf.executing_eagerly() else tf.cast(result, "float16")

    return faulty


def of_format(function: Any) -> Any:
    """Wrong in any format but float32."""

    def faulty(tensor: Any) -> Any:
        return function(tensor) + (tensor.dtype.name != "float32")

    return faulty


def one_sided(function: Any) -> Any:
    """Right forwards, wrong backwards."""
    import tensorflow as tf

    def faulty(x: Any) -> Any:
        # A tape sees a gradient of its own; an accumulator computes by another function.
        @tf.custom_gradient
        def wrong(x: Any) -> Any:
            return function(x), lambda gradient: gradient * tf.cos(x) * 1.1

        return function(x) if forwards() else wrong(x)

    return faulty


def forwards() -> bool:
    """Is a forward accumulator at work?"""
    import sys

    frame: Any = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "second":
            return True
        frame = frame.f_back
    return False


def last_axis(function: Any) -> Any:
    """Wrong along the last axis."""

    def faulty(tensor: Any, axis: int, **kwargs: Any) -> Any:
        return function(tensor, axis=axis) * (1.01 if axis % len(tensor.shape) == 1 else 1)

    return faulty


SEPARABLE = Call("tf.nn.separable_conv2d",
                 {"0": T("x"), "1": T("y"), "2": T("z"), "strides": [1, 1, 1, 1],
                  "padding": "SAME"}, x=IMAGE, y=KERNEL, z=numbers(1, 1, 8, 3))  # fmt: skip
DEPTHWISE = conv("SAME", "tf.nn.depthwise_conv2d", [1, 1, 1, 1])
LABELS = Call("tf.nn.ctc_loss",
              {"labels": T("y"), "logits": T("x"), "label_length": T("a"), "logit_length": T("b"),
               "logits_time_major": True, "blank_index": 0},
              x=numbers(6, 2, 5), y=np.array([[1, 2], [3, 1]], "int32"),
              a=np.array([2, 2], "int32"), b=np.array([6, 5], "int32"))  # fmt: skip
REVERSED = Call(
    "tf.reverse_sequence", dict(TWO, seq_axis=1, batch_axis=0), x=X, y=np.array([2, 3, 1], "int32")
)
EXAMPLES = (
    Example("batch", conv(), by_size, of_x("tf.exp")),
    Example("batch", Call("tf.linalg.inv", ONE, x=numbers(3, 4, 4)), by_size,
            Call("tf.linalg.inv", ONE, x=numbers(4, 4))),
    Example("channels", Call("tf.nn.bias_add", TWO, x=IMAGE, y=numbers(4)),
            where("data_format", "NCHW", 2), of_x("tf.exp")),
    Example("constants", of_x("tf.exp"), in_graph, EMPTY),
    Example("dataset", of_x("tf.exp"), in_graph, EMPTY),
    Example("depthwise", DEPTHWISE, scaled, conv()),
    Example("dilated", conv(dilations=2), where("dilations", 2), conv()),
    # What stands where a convolution has its layout is none.
    Example("dilated", conv(dilations=2), where("dilations", 2),
            Call("tf.signal.frame", {"0": T("x"), "1": 3, "2": 1, "3": False, "4": 0}, x=X)),
    Example("dilated", Call("tf.nn.atrous_conv2d", dict(TWO, rate=2, padding="SAME"), x=IMAGE,
                            y=KERNEL), scaled, conv()),
    Example("dtype", of_x("tf.square"), of_format, of_x("tf.exp")),
    Example("expanded", conv("SAME"), scaled, of_x("tf.exp")),
    Example("expanded", pool("tf.nn.avg_pool2d", "SAME"), scaled, of_x("tf.exp")),
    Example("expanded", Call("tf.nn.conv1d", dict(TWO, stride=1, padding="SAME"),
                             x=numbers(2, 6, 4), y=numbers(3, 4, 2)), scaled, of_x("tf.exp")),
    Example("formula", of_x("tf.nn.softplus"), scaled, of_x("tf.tan")),
    Example("formula", of_x("tf.math.reduce_std", axis=1), scaled, of_x("tf.tan")),
    Example("formula", Call("tf.nn.batch_normalization",
                            dict({str(i): T(n) for i, n in enumerate("xabcd")},
                                 variance_epsilon=0.1), x=X, a=numbers(4), b=numbers(4) ** 2,
                            c=numbers(4), d=numbers(4)), scaled, of_x("tf.tan")),
    Example("jit", of_x("tf.exp"), in_graph, EMPTY),
    Example("jit", RAW, in_graph, EMPTY),
    Example("linear", of_x("tf.reduce_sum"), shifted, of_x("tf.exp")),
    Example("linear", conv(), shifted, of_x("tf.exp")),
    Example("modes", of_x("tf.sin"), one_sided, Call("tf.abs", ONE, x=np.arange(3))),
    Example("module", of_x("tf.math.sin"), scaled, of_x("tf.math.bessel_i0")),
    Example("module", Call("tf.math.add", TWO, x=X, y=X), scaled, of_x("tf.math.bessel_i0")),
    Example("moved", of_x("tf.reduce_sum", axis=1), last_axis, of_x("tf.reduce_sum")),
    Example("moved", of_x("tf.cumsum", axis=0), last_axis, of_x("tf.exp")),
    Example("padding", conv("SAME", strides=2), where("padding", "SAME", 3), conv()),
    Example("padding", DEPTHWISE, where("padding", "SAME", 3), conv()),
    Example("padding", pool("tf.nn.max_pool2d", "SAME"), where("padding", "SAME", 3),
            pool("tf.nn.max_pool2d")),
    Example("padding", Call("tf.nn.atrous_conv2d", dict(TWO, rate=2, padding="SAME"), x=IMAGE,
                            y=KERNEL), where("padding", "SAME", 3), conv()),
    Example("roundtrip", Call("tf.io.encode_png", ONE, x=(PICTURE * 255).astype("uint8")),
            lambda function: lambda image: function(image + 1), of_x("tf.exp")),
    Example("roundtrip", Call("tf.signal.fft", ONE, x=X.astype("complex64")), scaled,
            of_x("tf.exp")),
    Example("roundtrip", of_x("tf.unstack", axis=1), lambda function: lambda *a, **k: (
        function(*a, **k)[::-1]), of_x("tf.exp")),
    Example("samename", of_x("tf.math.sin"), scaled, of_x("tf.nn.relu")),
    Example("samename", of_x("tf.experimental.numpy.sum", axis=1), scaled, of_x("tf.nn.elu")),
    # Without an axis it is the first, not all of them.
    Example("samename", of_x("tf.cosh"), scaled, of_x("tf.argmax")),
    Example("samename", of_x("tf.experimental.numpy.cumsum", axis=0), scaled,
            Call("tf.experimental.numpy.take", TWO, x=X, y=np.arange(-2, 2))),
    Example("saved", of_x("tf.exp"), in_graph, EMPTY),
    Example("scaled", Call("tf.image.flip_left_right", ONE, x=PICTURE),
            lambda function: lambda image: function(image) if image.dtype == "uint8" else (
                function(image) * 0.9), of_x("tf.exp")),
    Example("scaled", Call("tf.image.adjust_brightness", dict(ONE, **{"1": 0.1}), x=PICTURE),
            lambda function: lambda image, delta: function(
                image, delta if image.dtype == "uint8" else delta / 2), of_x("tf.exp")),
    Example("separable", SEPARABLE, scaled, conv()),
    Example("sparse", Call("tf.linalg.matmul", TWO, x=X, y=numbers(4, 2)), scaled,
            of_x("tf.cos")),
    Example("sparse", of_x("tf.reduce_sum", axis=1), scaled, of_x("tf.cos")),
    Example("split", of_x("tf.exp"), by_size, of_x("tf.cumsum", axis=0)),
    # A list of bounds would have to be split, too.
    Example("split", of_x("tf.clip_by_value", clip_value_min=-0.5, clip_value_max=0.5), by_size,
            of_x("tf.clip_by_value", clip_value_min=[[-0.5], [0], [0]], clip_value_max=0.5)),
    Example("symbolic", of_x("tf.exp"), in_graph, EMPTY),
    Example("symmetric", of_x("tf.sin"), shifted, of_x("tf.exp")),
    Example("timemajor", LABELS, where("logits_time_major", False, 4), of_x("tf.exp")),
    Example("timemajor", REVERSED, where("batch_axis", 1, 3), of_x("tf.exp")),
    Example("unpad", of_x("tf.pad", paddings=[[1, 2], [0, 1]]), shifted, of_x("tf.exp")),
    Example("xla", of_x("tf.exp"), in_graph, EMPTY),
    Example("xla", RAW, in_graph, EMPTY),
)  # fmt: skip
