"""An exported program gives the same as the call."""

from assay_worker.rules._base import Rule


def exported(function):
    import torch

    made = []

    def second(*args, **kwargs):
        class Model(torch.nn.Module):
            def forward(self, *args, **kwargs):
                return function(*args, **kwargs)

        if not made:
            made.append(torch.export.export(Model(), args, kwargs).module())
        return made[0](*args, **kwargs)

    return second


class Export(Rule):
    """As operators of the exported set."""

    name = "export"
    eagle = 1
    says = "eager ≡ torch.export"
    domain = "calls with tensors"
    programs = {"torch": exported}
    raising = False
    compiles = True

    def applies(self, facts):
        """Something must be passed in."""
        return bool(facts.inputs)


RULE = Export()
