"""A function gives what the library's own definition of it in simpler functions gives."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import is_of, words


def defined(function, called=""):
    import torch

    name = called or function.__name__
    for public, module in (
        (torch.special, torch._refs.special),
        (torch.fft, torch._refs.fft),
        (torch.linalg, torch._refs.linalg),
        (torch.nn.functional, torch._refs.nn.functional),
        (torch, torch._refs),
        (torch.special, torch._refs),
        (torch.nn.functional, torch._refs),
    ):
        own = getattr(module, name, None)
        # Several have functions of one name: which is meant, the function itself says.
        if own is not None and getattr(public, name, None) is function:
            return own
    raise NotImplementedError("PyTorch has no such definition")


class References(Rule):
    """``torch._refs``, which compilers of PyTorch go by."""

    name = "references"
    eagle = 7
    says = "f ≡ its definition in torch._refs"
    domain = (
        "functions of torch that torch._refs has, except sums, and transforms that are sums; "
        "activations and losses of floats"
    )
    programs = {"torch": defined}
    called = True
    raising = False
    spaces = ("torch", "torch.special", "torch.fft", "torch.linalg", "torch.nn.functional")
    #: Without those about memory, and sums, which overflow by their order.
    names = words(
        """
abs acos acosh asinh asin atan atanh bitwise_not ceil conj_physical cos cosh count_nonzero deg2rad
digamma erf erfinv erfc exp expm1 exp2 fill floor frac index_add index_copy index_select
index_fill isfinite isinf isposinf isneginf isnan isreal i0 lerp lgamma log log1p log2 log10
mvlgamma nan_to_num neg positive rad2deg reciprocal round sigmoid sgn sign signbit sin
sinc sinh sqrt square tan tanh trunc add atan2 bitwise_and bitwise_left_shift bitwise_or
bitwise_right_shift bitwise_xor clamp_min clamp_max copysign div eq float_power floor_divide fmax
fmin fmod gcd ge gt heaviside hypot igamma igammac imag isclose lcm le logaddexp logaddexp2
logical_and logical_not logical_or logical_xor lt maximum minimum mul ne nextafter pow real
remainder rsub sub true_divide xlogy addcdiv addcmul clamp masked_fill where clone all amax amin
any alias_copy atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors broadcast_to cat
chunk column_stack conj constant_pad_nd diag_embed diag diagonal diagonal_copy diagonal_scatter
dsplit dstack expand_copy flatten flip fliplr flipud hsplit hstack meshgrid movedim narrow
narrow_copy permute permute_copy ravel reshape roll rot90 rsqrt split_with_sizes stack squeeze
squeeze_copy t t_copy take_along_dim tensor_split transpose transpose_copy unbind_copy unfold_copy
unsqueeze unsqueeze_copy view_copy vsplit vstack view_as_complex unflatten unbind triu tril
full_like ones_like zeros_like allclose equal bucketize celu channel_shuffle elu gelu glu
hardshrink hardtanh hinge_embedding_loss leaky_relu margin_ranking_loss mish nll_loss prelu relu
relu6 selu softplus softshrink tanhshrink threshold bessel_j0 bessel_j1 entr erfcx expit
i0e i1 i1e log_ndtr logit multigammaln ndtr ndtri spherical_bessel_j0 xlog1py zeta fftshift
ifftshift cross
"""
    )

    def applies(self, facts):
        """What changes its argument has another definition."""
        if not is_of(facts, self.names, {"torch": self.spaces}) or not facts.inputs:
            return False
        # What activations and losses make of whole numbers, nobody says.
        loss = facts.api.startswith("torch.nn.functional.")
        whole = "float" not in facts.inputs[0]["dtype"]
        return not facts.has("out") and not (loss and whole)


RULE = References()
