"""Which functions are of which kind, by the last parts of their public names."""


def words(text):
    """The words of a text, as a set."""
    return frozenset(text.split())


#: Each element of the result is a function of the elements at its place, and of nothing else.
ELEMENTWISE = words(
    """
abs absolute acos acosh add addcdiv addcmul airy_ai angle arccos arccosh arcsin arcsinh arctan
arctan2 arctanh asin asinh atan atan2 atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0
bessel_j1 bessel_y0 bessel_y1 betainc betaln bitwise_and bitwise_count bitwise_invert
bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor boxcox boxcox1p cbrt
ceil celu clamp clip chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v
chebyshev_polynomial_w clamp_max clamp_min clip_by_value clz conj conj_physical conjugate copysign
cos cosh dawsn deg2rad degrees digamma div divide divide_no_nan elu entr eq erf erfc erfcinv erfcx
erfinv erf_inv exp exp1 exp2 expi expit expm1 fabs fix float_power floor floor_divide floordiv
floormod fmax fmin fmod frac frexp gamma gammainc gammaincc gammaln gammasgn gcd ge gelu greater
greater_equal gt hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh hardshrink hardsigmoid
hardswish hardtanh heaviside hermite_polynomial_h hermite_polynomial_he hypot i0 i0e i1 i1e igamma
igammac imag integer_pow invert is_finite is_inf is_nan isfinite isinf isnan isneginf isposinf
laguerre_polynomial_l lcm ldexp le leaky_relu left_shift legendre_polynomial_p lerp less
less_equal lgamma log log10 log1mexp log1p log2 log_ndtr log_sigmoid logaddexp logaddexp2
logical_and logical_not logical_or logical_xor logistic logit logsigmoid lt maximum minimum mish
mod modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 mul mulhi multiply
multiply_no_nan nan_to_num ndtr ndtri ne neg negative nextafter not_equal polygamma
population_count positive pow power rad2deg radians real reciprocal reciprocal_no_nan rel_entr
relu relu6 rem remainder right_shift rint round rsqrt rsub scaled_modified_bessel_k0
scaled_modified_bessel_k1 selu sgn shift_left shift_right_arithmetic shift_right_logical
shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
shifted_chebyshev_polynomial_w sigmoid sign signbit silu sin sinc sinh soft_shrink soft_sign
softplus softshrink softsign sparse_plus sparse_sigmoid spence spherical_bessel_j0 sqrt square
squared_difference squareplus sub subtract swish tan tanh tanh_shrink tanhshrink threshold
true_divide truediv trunc truncatediv truncatemod xdivy xlog1py xlogy zeta
"""
)

#: Where functions with those names are just that.
ELEMENTWISE_IN = {
    "torch": ("torch", "torch.special", "torch.nn.functional", "torch.Tensor"),
    "tensorflow": ("tf", "tf.math", "tf.nn", "tf.bitwise", "tf.experimental.numpy"),
    "jax": ("jax.numpy", "jax.lax", "jax.nn", "jax.scipy.special"),
    "keras": ("keras.ops", "keras.activations"),
}

#: Layers and functions that treat each member of a batch (the first axis of their first argument)
#: by itself. Those of modules whose training is another computation are not among them.
BATCHED = {
    "torch": words(
        """
    Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Unfold Fold
    MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d LPPool3d
    AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d
    AdaptiveAvgPool3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d
    ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d ConstantPad1d
    ConstantPad2d ConstantPad3d CircularPad1d CircularPad2d CircularPad3d GroupNorm LayerNorm
    LocalResponseNorm RMSNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d Upsample
    UpsamplingNearest2d UpsamplingBilinear2d PixelShuffle PixelUnshuffle ChannelShuffle
    Embedding Bilinear CosineSimilarity PairwiseDistance PReLU Softmax2d linear conv1d conv2d
    conv3d conv_transpose1d conv_transpose2d conv_transpose3d unfold fold max_pool1d
    max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d lp_pool1d lp_pool2d lp_pool3d
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d adaptive_avg_pool1d
    adaptive_avg_pool2d adaptive_avg_pool3d group_norm layer_norm rms_norm local_response_norm
    interpolate upsample pixel_shuffle pixel_unshuffle channel_shuffle embedding bilinear
    grid_sample pairwise_distance prelu instance_norm
    """
    ),
    "tensorflow": words(
        """
    conv1d conv2d conv3d convolution atrous_conv2d depthwise_conv2d separable_conv2d avg_pool
    avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d dilation2d
    erosion2d bias_add local_response_normalization lrn space_to_depth depth_to_space
    softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits
    """
    ),
    "jax": frozenset(("conv", "conv_with_general_padding")),
}

#: Of these the second tensor has a batch, too.
IN_PAIRS = words(
    """
Bilinear CosineSimilarity PairwiseDistance bilinear grid_sample pairwise_distance
softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits
"""
)

#: Where those are.
BATCHED_IN = {
    "torch": ("torch.nn", "torch.nn.functional", "torch"),
    "tensorflow": ("tf.nn",),
    "jax": ("jax.lax",),
}

#: Functions of a matrix, or of several: all axes but the last two are a batch.
MATRICES = words(
    """
inv det slogdet cholesky matrix_exp pinv matrix_power svdvals eigvalsh solve expm logdet logm
sqrtm matmul triangular_solve cholesky_solve matrix_inverse matrix_rank inv_ex cholesky_ex
solve_ex
"""
)
MATRICES_IN = {
    "torch": ("torch.linalg", "torch"),
    "tensorflow": ("tf.linalg", "tf"),
    "jax": ("jax.numpy.linalg", "jax.numpy"),
}

#: Functions whose second argument, called ``dim`` or ``axis``, names one axis or none: they treat
#: what lies along it in order, and drop it, or keep it where it is.
ALONG_AXIS = words(
    """
sum mean prod amax amin argmax argmin all any std var logsumexp cumsum cumprod softmax log_softmax
softmin logcumsumexp count_nonzero nansum nanmean nanmax nanmin nanprod nanstd nanvar ptp
cumulative_sum cumulative_prod nancumsum nancumprod cumulative_logsumexp reduce_sum reduce_mean
reduce_max reduce_min reduce_prod reduce_all reduce_any reduce_std reduce_variance
reduce_logsumexp reduce_euclidean_norm flip reverse l2_normalize logmeanexp standardize glu
"""
)
ALONG_AXIS_IN = {
    "torch": ("torch", "torch.special", "torch.nn.functional", "torch.Tensor"),
    "tensorflow": ("tf", "tf.math", "tf.nn", "tf.experimental.numpy"),
    "jax": ("jax.numpy", "jax.nn", "jax.scipy.special"),
    "keras": ("keras.ops",),
}


def is_of(facts, names, spaces):
    """Is the API one of ``names``, in one of the namespaces ``spaces`` has for its library?"""
    space, _, own = facts.api.rpartition(".")
    return own in names and space in spaces.get(facts.library, ())


def given(facts, name, place):
    """A plain argument by its name, or its place among positional ones; None if it is not given."""
    for key in (name, str(place)):
        for held in (facts.arguments, facts.params):
            if key in held:
                return held[key]
    return None


def ranks(facts):
    """How many axes each input has."""
    return [len(item["shape"]) for item in facts.inputs]


def batch_of(facts):
    """The size of the batch of a call of one of ``BATCHED`` or ``MATRICES``; 0 if it has none."""
    shapes = [item["shape"] for item in facts.inputs]
    if is_of(facts, MATRICES, MATRICES_IN):
        alike = len(set(map(len, shapes))) == 1 and len(shapes[0]) > 2
        return shapes[0][0] if alike and len({shape[0] for shape in shapes}) == 1 else 0
    batched = is_of(facts, BATCHED.get(facts.library, ()), BATCHED_IN)
    if not batched or not shapes or facts.api == "torch.embedding":  # whose table is first
        return 0
    own = facts.api.rpartition(".")[2]
    if own in IN_PAIRS and (len(shapes) < 2 or shapes[0][:1] != shapes[1][:1]):
        return 0
    return shapes[0][0] if len(shapes[0]) == expected_rank(facts.api, len(shapes[0])) else 0


def expected_rank(api, otherwise):
    """How many axes a batch has, for functions whose name says it; else, one at least."""
    own = api.rpartition(".")[2].lower()
    for number in (1, 2, 3):
        if "%dd" % number in own:
            return number + 2
    return max(otherwise, 2)
