"""Padding that a function is told gives what padding by hand and none gives."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def torch_padded(function):
    import torch

    name = getattr(function, "__name__", "")

    def several(value, rank):
        return list(value) * (rank if len(value) == 1 else 1) if isinstance(
            value, (list, tuple)) else [value] * rank  # fmt: skip

    def pairs(before):
        # As torch.nn.functional.pad takes them: of the last axis first.
        return [number for pair in reversed(before) for number in pair]

    def convolution(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        rank = weight.dim() - 2
        if padding == "same":
            totals = [(k - 1) * d for k, d in zip(weight.shape[2:], several(dilation, rank))]
            before = [(total // 2, total - total // 2) for total in totals]
        elif padding == "valid":
            before = [(0, 0)] * rank
        else:
            before = [(number, number) for number in several(padding, rank)]
        wide = torch.nn.functional.pad(input, pairs(before))
        return function(wide, weight, bias, stride, 0, dilation, groups)

    def maximum(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                return_indices=False):  # fmt: skip
        if ceil_mode or return_indices:
            raise NotImplementedError("windows, or places, count from the padding")
        before = [(number, number) for number in several(padding, int(name[-2]))]
        wide = torch.nn.functional.pad(input, pairs(before), value=float("-inf"))
        return function(wide, kernel_size, stride or kernel_size, 0, dilation)

    def average(input, kernel_size, stride=None, padding=0, ceil_mode=False,
                count_include_pad=True, divisor_override=None):  # fmt: skip
        if ceil_mode or not count_include_pad:
            raise NotImplementedError("the padding does not count")
        before = [(number, number) for number in several(padding, int(name[-2]))]
        wide = torch.nn.functional.pad(input, pairs(before))
        more = {} if divisor_override is None else {"divisor_override": divisor_override}
        return function(wide, kernel_size, stride or kernel_size, 0, **more)

    return maximum if "max" in name else average if "avg" in name else convolution


def tensorflow_padded(function):
    import inspect

    import tensorflow as tf

    def second(*args, **kwargs):
        call = inspect.signature(function).bind(*args, **kwargs)
        told = call.arguments
        first, window = list(told)[:2]
        tensor = told[first]
        rank = len(tensor.shape) - 2

        def several(value):
            value = list(value) if isinstance(value, (list, tuple)) else [value or 1]
            return value * rank if len(value) == 1 else value[-rank - 1 : -1] if len(
                value) > rank else value  # fmt: skip

        kernel = several(told[window]) if window == "ksize" else told[window].shape[:rank]
        strides = several(told.get("strides", told.get("stride")))
        dilations = several(told.get("dilations", told.get("rate")))
        pads = [[0, 0]]
        for size, k, s, d in zip(tensor.shape[1:-1], kernel, strides, dilations):
            total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
            pads.append([total // 2, total - total // 2])
        least = tensor.dtype.min if tensor.dtype.is_integer else float("-inf")
        outside = tf.cast(least if window == "ksize" else 0, tensor.dtype)
        told[first] = tf.pad(tensor, pads + [[0, 0]], constant_values=outside)
        told["padding"] = "VALID"
        return function(*call.args, **call.kwargs)

    return second


def jax_padded(function):
    import jax.numpy as jnp

    def second(lhs, rhs, window_strides, padding, *args, **kwargs):
        named = dict(zip(("lhs_dilation", "rhs_dilation"), args), **kwargs)
        if named.get("dimension_numbers") or named.get("lhs_dilation"):
            raise NotImplementedError("in another layout")
        rank = lhs.ndim - 2
        pads = [(0, 0), (0, 0)]
        dilations = named.get("rhs_dilation") or (1,) * rank
        for axis, (k, s, d) in enumerate(zip(rhs.shape[2:], window_strides, dilations)):
            if isinstance(padding, str):
                size = lhs.shape[axis + 2]
                total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
                pads.append((total // 2, total - total // 2))
            else:
                pads.append(tuple(padding[axis]))
        wide = jnp.pad(lhs, pads)
        return function(wide, rhs, window_strides, "VALID", *args, **kwargs)

    return second


class Padding(Rule):
    """Zeros around what is convolved, the least number around what is pooled."""

    name = "padding"
    eagle = 2
    says = "f with padding ≡ f without, of the tensor padded by hand"
    domain = (
        "convolutions and maxima over windows; of torch also means that count the padding; "
        "in the library's own layout"
    )
    raising = False
    programs = {"torch": torch_padded, "tensorflow": tensorflow_padded, "jax": jax_padded}
    #: Infinite weights times zeros are not nothing.
    special = False
    names = {
        "torch": tuple("torch.nn.functional." + name for name in (
            "conv1d", "conv2d", "conv3d", "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d",
            "avg_pool2d", "avg_pool3d")) + ("torch.conv1d", "torch.conv2d", "torch.conv3d"),
        "tensorflow": tuple("tf.nn." + name for name in (
            "conv1d", "conv2d", "conv3d", "depthwise_conv2d", "max_pool1d", "max_pool2d",
            "max_pool3d", "atrous_conv2d")),
        "jax": ("jax.lax.conv", "jax.lax.conv_general_dilated"),
    }  # fmt: skip

    def applies(self, facts):
        """Something must be padded."""
        if facts.api not in self.names.get(facts.library, ()) or not facts.floating:
            return False
        own = facts.api.rpartition(".")[2]
        if facts.library == "torch":
            place = 3 if "pool" in own else 4
            return given(facts, "padding", place) not in (None, 0, "valid")
        told = given(facts, "padding", 3)
        if facts.library == "jax":
            return told == "SAME" or isinstance(told, (list, tuple))
        layout = given(facts, "data_format", 4)
        usual = layout is None or (isinstance(layout, str) and layout.endswith("C"))
        return told == "SAME" and (usual or own == "atrous_conv2d")


RULE = Padding()
