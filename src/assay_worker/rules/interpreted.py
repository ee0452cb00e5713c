"""A call that runs primitive by primitive gives the same as the compiled one."""

from assay_worker.rules._base import Rule


def interpreted(function):
    import jax

    def second(*args, **kwargs):
        with jax.disable_jit():
            return function(*args, **kwargs)

    return second


class Interpreted(Rule):
    """Most functions of JAX compile themselves: without that, nothing is fused or folded."""

    name = "interpreted"
    eagle = 1
    says = "as it is ≡ under jax.disable_jit"
    domain = "calls with tensors; not loops, which must end while they are traced"
    programs = {"jax": interpreted}
    raising = False

    def applies(self, facts):
        """Something must be passed in."""
        return bool(facts.inputs)


RULE = Interpreted()
