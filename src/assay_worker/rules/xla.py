"""A call that XLA compiles gives the same as the call."""

from assay_worker.rules._base import Rule


def compiled(function):
    import tensorflow as tf

    return tf.function(function, jit_compile=True)


class Xla(Rule):
    """The whole call as one program of XLA."""

    name = "xla"
    eagle = 1
    says = "eager ≡ tf.function(jit_compile=True)"
    domain = "calls with tensors that XLA has kernels for"
    programs = {"tensorflow": compiled}
    raising = False
    compiles = True

    def applies(self, facts):
        """Something must be passed in."""
        return bool(facts.inputs)


RULE = Xla()
