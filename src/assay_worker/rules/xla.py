"""A call that XLA compiles gives the same as the call."""

from assay_worker.rules._base import Rule


def compiled(function):
    import tensorflow as tf

    def again(*args, **kwargs):
        return function(*args, **kwargs)  # by name what was given by name: some take nothing else

    return tf.function(again, jit_compile=True, autograph=False)


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
