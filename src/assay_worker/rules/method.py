"""A method gives what the function of the same name gives."""

from assay_worker.rules._base import Rule


def as_method(function):
    import torch

    own = getattr(torch.Tensor, getattr(function, "__name__", ""), None)

    def second(*args, **kwargs):
        if not callable(own) or not args or not isinstance(args[0], torch.Tensor):
            raise NotImplementedError("there is no such method")
        return own(*args, **kwargs)

    return second


class Method(Rule):
    """``x.name(…)`` beside ``torch.name(x, …)``."""

    name = "method"
    says = "torch.f(x) ≡ x.f()"
    domain = "functions with a method of the same name, of their first argument"
    #: Methods of another argument than the first.
    otherwise = ("torch.where", "torch.polygamma")
    programs = {"torch": as_method}
    refusal = (
        r"unexpected keyword argument|invalid combination of arguments|positional argument|"
        + Rule.refusal
    )

    def applies(self, facts):
        """Functions of the first namespace, and special ones of its own name."""
        named = facts.api.count(".") == 1 and facts.api not in self.otherwise
        return named and bool(facts.inputs)


RULE = Method()
