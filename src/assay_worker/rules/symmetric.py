"""Odd functions change their sign with their argument, even ones do not."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import is_of, words


def negated(function):
    name = function.__name__.replace("special_", "").replace("_v2", "")
    even = name in ("abs", "absolute", "fabs", "cos", "cosh", "square", "sinc", "i0", "i0e",
                    "bessel_i0", "bessel_i0e", "bessel_j0", "modified_bessel_i0",
                    "spherical_bessel_j0")  # fmt: skip

    def second(tensor, *args, **kwargs):
        result = function(-tensor, *args, **kwargs)
        return result if even else -result

    return second


class Symmetric(Rule):
    """The sign is one bit: all others must stay."""

    name = "symmetric"
    says = "f(-x) ≡ f(x) or -f(x)"
    domain = "functions of one tensor that are even or odd; floats"
    programs = {"torch": negated, "tensorflow": negated, "jax": negated, "keras": negated}
    names = words(
        """
    abs absolute fabs cos cosh square sinc i0 i0e bessel_i0 bessel_i0e bessel_j0
    modified_bessel_i0 spherical_bessel_j0 sin tan sinh tanh asin arcsin atan arctan asinh
    arcsinh atanh arctanh erf erfinv erf_inv neg negative deg2rad rad2deg radians degrees cbrt
    i1 i1e bessel_i1 bessel_i1e bessel_j1 modified_bessel_i1 hardshrink softshrink tanhshrink
    softsign soft_sign hardtanh hard_tanh hard_shrink soft_shrink tanh_shrink trunc rint round
    fix frac dawsn reciprocal
    """
    )
    spaces = {
        "torch": ("torch", "torch.special", "torch.nn.functional", "torch.Tensor"),
        "tensorflow": ("tf", "tf.math", "tf.nn", "tf.experimental.numpy"),
        "jax": ("jax.numpy", "jax.lax", "jax.nn", "jax.scipy.special"),
        "keras": ("keras.ops", "keras.activations"),
    }

    def applies(self, facts):
        """Signed floats, and no other argument that has a side."""
        one = facts.floating and len(facts.inputs) == 1 and is_of(facts, self.names, self.spaces)
        return one and len(facts.arguments) <= 1 and not facts.params


RULE = Symmetric()
