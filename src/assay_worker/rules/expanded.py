"""A function of one more axis, which is 1 long, gives the same."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def torch_expanded(function):
    import torch

    name = function.__name__
    rank = int(name[-2])
    wider = getattr(torch.nn.functional, "%s%dd" % (name[:-2], rank + 1))

    def longer(value, first):
        if isinstance(value, (list, tuple)):
            return (first,) + tuple(value) * (rank if len(value) == 1 else 1)
        return (first,) + (value,) * rank

    def convolution(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if not isinstance(padding, str):
            padding = longer(padding, 0)
        own = (longer(stride, 1), padding, longer(dilation, 1), groups)
        return wider(input.unsqueeze(-rank - 1), weight.unsqueeze(2), bias, *own).squeeze(-rank - 1)

    def transposed(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                   dilation=1):  # fmt: skip
        own = (longer(stride, 1), longer(padding, 0), longer(output_padding, 0), groups,
               longer(dilation, 1))  # fmt: skip
        return wider(input.unsqueeze(-rank - 1), weight.unsqueeze(2), bias, *own).squeeze(-rank - 1)

    def maximum(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                return_indices=False):  # fmt: skip
        own = (longer(kernel_size, 1), longer(stride or kernel_size, 1), longer(padding, 0),
               longer(dilation, 1), ceil_mode, return_indices)  # fmt: skip
        result = wider(input.unsqueeze(-rank - 1), *own)
        if return_indices:
            return tuple(item.squeeze(-rank - 1) for item in result)
        return result.squeeze(-rank - 1)

    def average(input, kernel_size, stride=None, padding=0, ceil_mode=False,
                count_include_pad=True, **more):  # fmt: skip
        own = (longer(kernel_size, 1), longer(stride or kernel_size, 1), longer(padding, 0))
        result = wider(input.unsqueeze(-rank - 1), *own, ceil_mode, count_include_pad, **more)
        return result.squeeze(-rank - 1)

    def adaptive(input, output_size, *indices):
        result = wider(input.unsqueeze(-rank - 1), longer(output_size, 1), *indices)
        if isinstance(result, tuple):
            return tuple(item.squeeze(-rank - 1) for item in result)
        return result.squeeze(-rank - 1)

    if "adaptive" in name:
        return adaptive
    if "pool" in name:
        return maximum if "max" in name else average
    return transposed if "transpose" in name else convolution


def tensorflow_expanded(function):
    import inspect

    import tensorflow as tf

    name = function.__name__.replace("_v2", "")
    rank = int(name[-2])
    wider = getattr(tf.nn, "%s%dd" % (name[:-2], rank + 1))

    def second(*args, **kwargs):
        call = inspect.signature(function).bind(*args, **kwargs).arguments
        tensor, window = [call[key] for key in list(call)[:2]]

        def longer(value):
            value = list(value) if isinstance(value, (list, tuple)) else [value or 1]
            value = value * rank if len(value) == 1 else value
            own = value[1:-1] if len(value) == rank + 2 else value
            return [1, 1] + own + [1]

        pool = "pool" in name
        window = longer(window) if pool else tf.expand_dims(window, 0)
        strides = longer(call.get("strides", call.get("stride")))
        more = {} if pool else {"dilations": longer(call.get("dilations"))}
        result = wider(tf.expand_dims(tensor, 1), window, strides, call["padding"], **more)
        return tf.squeeze(result, 1)

    return second


def jax_expanded(function):
    import jax.numpy as jnp

    def second(lhs, rhs, window_strides, padding, *args, **kwargs):
        named = dict(zip(("lhs_dilation", "rhs_dilation"), args), **kwargs)
        if named.get("dimension_numbers"):
            raise NotImplementedError("in another layout")
        if not isinstance(padding, str):
            padding = ((0, 0),) + tuple(padding)
        for key in ("lhs_dilation", "rhs_dilation"):
            if named.get(key) is not None:
                named[key] = (1,) + tuple(named[key])
        strides = (1,) + tuple(window_strides)
        own = (jnp.expand_dims(lhs, 2), jnp.expand_dims(rhs, 2), strides, padding)
        return jnp.squeeze(function(*own, **named), 2)

    return second


class Expanded(Rule):
    """Another kernel, of three axes for two."""

    name = "expanded"
    eagle = 3
    says = "f over n axes ≡ f over n + 1 axes, of which one is 1 long"
    domain = "convolutions and pooling over one or two axes, in the library's own layout"
    #: Kernels for other sizes may multiply infinities by the zeros of a padding.
    special = False
    raising = False
    programs = {"torch": torch_expanded, "tensorflow": tensorflow_expanded, "jax": jax_expanded}
    names = {
        "torch": tuple("torch.nn.functional.%s%dd" % (name, rank) for rank in (1, 2) for name in (
            "conv", "conv_transpose", "max_pool", "avg_pool", "adaptive_avg_pool",
            "adaptive_max_pool"))
        + ("torch.conv1d", "torch.conv2d", "torch.conv_transpose1d", "torch.conv_transpose2d"),
        "tensorflow": tuple("tf.nn.%s%dd" % (name, rank) for rank in (1, 2) for name in (
            "conv", "max_pool", "avg_pool")),
        "jax": ("jax.lax.conv", "jax.lax.conv_general_dilated"),
    }  # fmt: skip

    def applies(self, facts):
        """Of max_pool of torch, whose places are counted in all axes, as of others."""
        if facts.api not in self.names.get(facts.library, ()) or not facts.floating:
            return False
        if facts.library == "jax":
            return 2 < len(facts.inputs[0]["shape"]) < 5
        layout = given(facts, "data_format", 4)
        known = {"NWC", "NHWC", None}
        if facts.library == "torch":
            # A padding for all axes would pad the new one, a list of strings is none.
            return not facts.has("output_size") or given(facts, "output_size", 1) is not None
        return layout in known and isinstance(given(facts, "padding", 3), str)


RULE = Expanded()
