"""What changes a tensor in place leaves the numbers there that a new result would have."""

from assay_worker.rules._base import Rule


def changed(function):
    import torch

    own = getattr(torch.Tensor, getattr(function, "__name__", "") + "_", None)

    def second(*args, **kwargs):
        if own is None or not args or not isinstance(args[0], torch.Tensor):
            raise NotImplementedError("it has no form that changes its first argument")
        result = function(*args, **kwargs)
        if result.shape != args[0].shape or result.dtype != args[0].dtype:
            raise NotImplementedError("the result does not fit into the first argument")
        target = args[0].clone()
        own(target, *args[1:], **kwargs)
        return target

    return second


class Inplace(Rule):
    """``x.name_(…)`` beside ``torch.name(x, …)``."""

    name = "inplace"
    says = "torch.f(x) ≡ x.f_()"
    domain = "functions with a method of the same name and an underscore; same shape and dtype"
    programs = {"torch": changed}
    refusal = (
        r"unexpected keyword argument|invalid combination of arguments|positional argument|"
        + Rule.refusal
    )

    def applies(self, facts):
        """Functions of the first namespace; ``resize`` and its like are about memory."""
        own = facts.api.rpartition(".")[2]
        return (
            bool(facts.inputs)
            and facts.api.count(".") == 1
            and own
            not in (
                "resize",
                "set",
                "t",
                "transpose",
                "swapaxes",
            )
        )


RULE = Inplace()
