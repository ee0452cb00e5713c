"""A function gives what the library's own definition of it in simpler functions gives."""

from assay_worker.rules._base import Rule


def defined(function):
    import torch

    name = function.__name__
    for prefix, module in (
        ("special_", torch._refs.special),
        ("fft_", torch._refs.fft),
        ("linalg_", torch._refs.linalg),
        ("", torch._refs.nn.functional),
        ("", torch._refs),
    ):
        own = getattr(module, name[len(prefix) :], None)
        public = torch.nn.functional if module is torch._refs.nn.functional else None
        mine = public is None or getattr(public, name, None) is function
        if name.startswith(prefix) and own is not None and mine:
            return own
    raise NotImplementedError("PyTorch has no such definition")


class References(Rule):
    """``torch._refs``, which compilers of PyTorch go by."""

    name = "references"
    eagle = 7
    says = "f ≡ its definition in torch._refs"
    domain = "functions of torch, torch.special, torch.fft, torch.linalg and torch.nn.functional"
    programs = {"torch": defined}
    raising = False
    spaces = ("torch", "torch.special", "torch.fft", "torch.linalg", "torch.nn.functional")
    #: About memory, or with results that are left open.
    open_results = ("as_strided", "empty", "empty_like", "empty_strided", "empty_permuted", "svd")

    def applies(self, facts):
        """What changes its argument has another definition."""
        space, _, own = facts.api.rpartition(".")
        calm = own not in self.open_results and not own.endswith("_") and not facts.has("out")
        return space in self.spaces and calm and bool(facts.inputs)


RULE = References()
