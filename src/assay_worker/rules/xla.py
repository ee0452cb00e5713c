"""A call that XLA compiles gives the same as the call."""

import re

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
    domain = (
        "calls with tensors that XLA has kernels for, and whose result is defined: no random "
        "numbers (it has generators of its own), shifts by any number, choices among boxes, "
        "incomplete gamma functions, rounding to quantized numbers, and gradients that take what "
        "another operator gave"
    )
    programs = {"tensorflow": compiled}
    raising = False
    compiles = True

    #: Documented as implementation defined, or beside what documentation defines with the numbers
    #: that are drawn: a picture and another one's maxima, statistics that only a gradient reads.
    left_open = re.compile(
        r"tateless|random|(left|right)_?shift|non_?max_?suppression|igamma|UniformQuantize"
        r"|MaxPool\w*Grad|FusedBatchNorm",
        re.IGNORECASE,
    )

    def applies(self, facts):
        """Something must be passed in."""
        return bool(facts.inputs) and not self.left_open.search(facts.api)


RULE = Xla()
