"""A call that TorchInductor compiles gives the same as the call."""

from assay_worker.rules._base import Rule


def compiled(function):
    import torch

    torch._dynamo.reset()
    return torch.compile(lambda *args, **kwargs: function(*args, **kwargs), dynamic=False)


class Compile(Rule):
    """Kernels of its own, written and compiled for the call."""

    name = "compile"
    eagle = 1
    says = "eager ≡ torch.compile"
    domain = "calls with tensors"
    programs = {"torch": compiled}
    raising = False
    compiles = True
    #: Seconds for each call: only where it is asked for by name.
    dear = True

    def applies(self, facts):
        """Something must be passed in."""
        return bool(facts.inputs)


RULE = Compile()
