"""A homogeneous function of the double is the double of the function."""

from assay_worker.rules._base import Rule, mapped
from assay_worker.rules._names import given, is_of, words


def torch_doubled(function):
    def second(tensor, *args, **kwargs):
        def half(item):
            # Beside values there may be their places.
            return item / 2 if item.is_floating_point() or item.is_complex() else item

        return mapped(half, function(tensor * 2, *args, **kwargs))

    return second


def tensorflow_doubled(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        named = dict(kwargs)
        if args:
            result = function(args[0] * 2, *args[1:], **named)
        else:
            first = next(key for key, value in named.items() if tf.is_tensor(value))
            result = function(**dict(named, **{first: named[first] * 2}))
        return tf.nest.map_structure(lambda item: item / 2, result)

    return second


def jax_doubled(function):
    import jax

    def second(tensor, *args, **kwargs):
        result = function(tensor * 2, *args, **kwargs)
        return jax.tree_util.tree_map(lambda item: item / 2, result)

    return second


def keras_doubled(function):
    def second(tensor, *args, **kwargs):
        # A complex tensor is two real ones.
        result = function(mapped(lambda part: part * 2, tensor), *args, **kwargs)
        return [item / 2 for item in result] if isinstance(result, tuple) else result / 2

    return second


class Linear(Rule):
    """Twice is exact in floating point, on whatever way: every bit but those of the exponent."""

    name = "linear"
    says = "f(x) ≡ f(2x) / 2"
    domain = (
        "functions that are homogeneous in their first argument: sums, extremes, products with "
        "other tensors, convolutions without a bias, pooling, Fourier transforms, resizing; floats"
    )
    programs = {
        "torch": torch_doubled,
        "tensorflow": tensorflow_doubled,
        "jax": jax_doubled,
        "keras": keras_doubled,
    }
    own_helpers = {"torch": (mapped,), "keras": (mapped,)}
    #: Twice the largest number is none.
    special = False
    names = words(
        """
    abs absolute fabs sum mean amax amin cumsum nansum nanmean nanmax nanmin trace diff diag
    diagonal flip fliplr flipud roll rot90 tril triu outer inner dot vdot mm bmm mv matmul
    tensordot kron cross vecdot matvec vecmat negative neg relu leaky_relu std ptp norm
    vector_norm matrix_norm reduce_sum reduce_mean reduce_max reduce_min reduce_std
    reduce_euclidean_norm segment_sum segment_mean segment_max segment_min
    unsorted_segment_sum unsorted_segment_mean unsorted_segment_max unsorted_segment_min
    adjoint matrix_transpose multiply mul divide div true_divide truediv convolve correlate
    trapezoid fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn
    fftshift ifftshift fft2d fft3d ifft2d ifft3d rfft2d rfft3d irfft2d irfft3d dct idct frame
    stft overlap_and_add interpolate upsample max_pool1d max_pool2d max_pool3d avg_pool
    avg_pool1d avg_pool2d avg_pool3d max_pool average_pool lp_pool1d lp_pool2d lp_pool3d
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d conv1d conv2d conv3d conv_transpose1d
    conv_transpose2d conv_transpose3d conv conv_transpose conv_general_dilated
    conv_with_general_padding convolution atrous_conv2d depthwise_conv2d separable_conv2d
    depthwise_conv separable_conv conv1d_transpose conv2d_transpose conv3d_transpose unfold
    fold pixel_shuffle pixel_unshuffle channel_shuffle grid_sample space_to_depth
    depth_to_space svdvals eigvalsh band_part nanmedian median resize flip_left_right
    flip_up_down rot90 central_crop crop_to_bounding_box pad_to_bounding_box resize_with_pad
    resize_with_crop_or_pad image_gradients sobel_edges total_variation rgb_to_grayscale
    rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb extract_patches grayscale_to_rgb
    adjust_contrast
    """
    )
    spaces = {
        "torch": (
            "torch", "torch.nn.functional", "torch.fft", "torch.linalg", "torch.Tensor",
        ),
        "tensorflow": (
            "tf", "tf.math", "tf.nn", "tf.linalg", "tf.signal", "tf.image",
            "tf.experimental.numpy",
        ),
        "jax": ("jax.numpy", "jax.lax", "jax.numpy.fft", "jax.numpy.linalg", "jax.nn"),
        "keras": ("keras.ops", "keras.ops.image"),
    }  # fmt: skip
    #: An argument by which the result is not homogeneous in the first alone.
    adding = (
        "bias", "initial", "out", "constant_values", "fill_value", "dtype", "min_value",
        "max_value", "pad_value", "prepend", "append", "threshold",
    )  # fmt: skip

    def applies(self, facts):
        """Floats, and nothing that is added."""
        if not is_of(facts, self.names, self.spaces) or not facts.floating:
            return False
        own = facts.api.rpartition(".")[2]
        if any(given(facts, name, name) is not None for name in self.adding):
            return False
        if facts.library == "torch" and "conv" in own:
            return given(facts, "bias", 2) is None
        if own == "diff" and len(facts.inputs) > 1:
            return False  # what stands before and behind it
        if "median" in own and facts.library == "torch":
            return given(facts, "dim", 1) is None  # which index is left open
        if own in ("divide", "div", "true_divide", "truediv"):
            return given(facts, "rounding_mode", "rounding_mode") is None
        if own in ("dct", "idct"):
            return True
        if own in ("norm", "vector_norm", "matrix_norm"):
            return self.is_norm(facts)
        first = given(facts, "first", 0)
        # Of a list of tensors only one would be doubled; positional ones stand under no place.
        return first is None or (isinstance(first, dict) and "$tensor" in first)

    def is_norm(self, facts):
        """Is it no count of what is not zero?"""
        order = [given(facts, name, 1) for name in ("ord", "p")]
        return all(item not in (0, 0.0) for item in order)


RULE = Linear()
