"""Whole numbers give the same in every format that holds them."""

from assay_worker.rules._base import Rule, mapped
from assay_worker.rules._names import is_of, words


def torch_whole(function):
    def first(*args, **kwargs):
        return function(*mapped(torch_rounded, args), **mapped(torch_rounded, kwargs))

    return first


def torch_other(function):
    import torch

    def second(*args, **kwargs):
        def turned(value):
            if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                return value
            wide = value.dtype != torch.float64
            return torch_rounded(value).to(torch.float64 if wide else torch.float32)

        result = function(*mapped(turned, args), **mapped(turned, kwargs))
        tensors = torch.utils._pytree.tree_leaves((args, kwargs))
        dtype = next(x.dtype for x in tensors if turned(x) is not x)

        def back(item):
            floats = isinstance(item, torch.Tensor) and item.is_floating_point()
            return item.to(dtype) if floats else item

        return mapped(back, result)

    return second


def torch_rounded(value):
    import torch

    floats = isinstance(value, torch.Tensor) and value.is_floating_point()
    return torch.round(value * 3).clamp(-8, 8) if floats else value


def tensorflow_whole(function):
    def first(*args, **kwargs):
        return function(*mapped(tensorflow_rounded, args), **mapped(tensorflow_rounded, kwargs))

    return first


def tensorflow_other(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        def turned(value):
            if not tf.is_tensor(value) or not value.dtype.is_floating:
                return value
            wide = value.dtype != tf.float64
            return tf.cast(tensorflow_rounded(value), tf.float64 if wide else tf.float32)

        result = function(*mapped(turned, args), **mapped(turned, kwargs))
        dtype = next(x.dtype for x in tf.nest.flatten((args, kwargs)) if turned(x) is not x)

        def back(item):
            return tf.cast(item, dtype) if item.dtype.is_floating else item

        return tf.nest.map_structure(back, result)

    return second


def tensorflow_rounded(value):
    import tensorflow as tf

    floats = tf.is_tensor(value) and value.dtype.is_floating
    return tf.clip_by_value(tf.round(value * 3), -8, 8) if floats else value


def jax_whole(function):
    def first(*args, **kwargs):
        return function(*mapped(jax_rounded, args), **mapped(jax_rounded, kwargs))

    return first


def jax_other(function):
    import jax
    import jax.numpy as jnp

    def second(*args, **kwargs):
        def turned(value):
            if not isinstance(value, jax.Array) or not jnp.issubdtype(value.dtype, jnp.floating):
                return value
            narrow = value.dtype != jnp.float32
            return jax_rounded(value).astype(jnp.float32 if narrow else jnp.bfloat16)

        result = function(*mapped(turned, args), **mapped(turned, kwargs))
        leaves = jax.tree_util.tree_leaves((args, kwargs))
        dtype = next(x.dtype for x in leaves if turned(x) is not x)

        def back(item):
            return item.astype(dtype) if jnp.issubdtype(item.dtype, jnp.floating) else item

        return jax.tree_util.tree_map(back, result)

    return second


def jax_rounded(value):
    import jax
    import jax.numpy as jnp

    floats = isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jnp.floating)
    return jnp.clip(jnp.round(value * 3), -8, 8) if floats else value


class Dtype(Rule):
    """Every number on the way is a small whole one, so that nothing is rounded."""

    name = "dtype"
    eagle = 12
    says = "f in one float format ≡ f in another, of small whole numbers"
    domain = (
        "functions that add, multiply once, compare, order and move: of whole numbers of at most 8 "
        "none of their results leaves the narrower format; floats of one format"
    )
    programs = {"torch": torch_other, "tensorflow": tensorflow_other, "jax": jax_other}
    firsts = {"torch": torch_whole, "tensorflow": tensorflow_whole, "jax": jax_whole}
    own_helpers = {
        "torch": (mapped, torch_rounded),
        "tensorflow": (mapped, tensorflow_rounded),
        "jax": (mapped, jax_rounded),
    }
    special = False
    refusal = r"dtype|data type|type|attr 'T'|half|bfloat16|" + Rule.refusal
    names = words(
        """
    abs absolute add subtract sub multiply mul neg negative positive square sign sgn floor
    ceil trunc rint round relu relu6 maximum minimum fmax fmin clip clamp heaviside amax amin
    max min argmax argmin sort cummax cummin flip fliplr flipud roll rot90 tril triu diag
    diagonal diagflat trace where equal not_equal greater greater_equal less less_equal eq ne
    gt ge lt le isfinite isnan isinf signbit copysign count_nonzero any all topk top_k
    kthvalue reduce_max reduce_min unique searchsorted bucketize tile repeat repeat_interleave
    stack concatenate cat concat hstack vstack dstack column_stack unstack unbind split chunk
    take gather index_select masked_fill masked_select transpose permute moveaxis movedim
    swapaxes reshape ravel flatten squeeze expand_dims unsqueeze broadcast_to expand pad outer
    cross diff max_pool1d max_pool2d max_pool3d max_pool pixel_shuffle pixel_unshuffle
    channel_shuffle space_to_depth depth_to_space unfold reverse rev clip_by_value
    squared_difference hardshrink segment_max segment_min unsorted_segment_max
    unsorted_segment_min slice dynamic_slice select reduce_and kron threshold hard_tanh
    hardtanh gather_nd tensor_scatter_nd_update scatter_nd meshgrid append compress extract
    band_part adjoint matrix_transpose diag_part set_diag
    """
    )
    spaces = {
        "torch": ("torch", "torch.nn.functional", "torch.Tensor"),
        "tensorflow": ("tf", "tf.math", "tf.nn", "tf.linalg", "tf.experimental.numpy"),
        "jax": ("jax.numpy", "jax.lax", "jax.nn"),
    }

    def applies(self, facts):
        """Floats of one format, none of it told."""
        dtypes = {item["dtype"] for item in facts.inputs if "float" in item["dtype"]}
        told = "$dtype" in str(facts.arguments) or facts.has("dtype") or facts.has("out")
        own = facts.api.rpartition(".")[2]
        known = is_of(facts, self.names, self.spaces) and not own.endswith("_")
        # Which of equal numbers comes first, PyTorch leaves open.
        ties = facts.library == "torch" and own in ("sort", "topk", "kthvalue")
        return known and len(dtypes) == 1 and not told and not ties


RULE = Dtype()
