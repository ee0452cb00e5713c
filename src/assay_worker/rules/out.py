"""A result that is written into a given tensor is the same as a new one."""

from assay_worker.rules._base import Rule


def into(function):
    import torch

    def second(*args, **kwargs):
        result = function(*args, **kwargs)
        several = isinstance(result, (tuple, list))
        for item in result if several else [result]:
            if not isinstance(item, torch.Tensor) or item.layout != torch.strided:
                raise NotImplementedError("not all that it gives are dense tensors")
        # Full of what does not belong there, and with gaps.
        room = [torch.empty(item.shape + (2,), dtype=item.dtype).fill_(3)[..., 0]
                for item in (result if several else [result])]  # fmt: skip
        function(*args, out=tuple(room) if several else room[0], **kwargs)
        return tuple(room) if several else room[0]

    return second


class Out(Rule):
    """Into memory that has other numbers and strides."""

    name = "out"
    says = "a new result ≡ out="
    domain = "functions that take out= and give dense tensors"
    programs = {"torch": into}
    refusal = (
        r"unexpected keyword argument|got an unexpected|invalid combination of arguments|"
        r"argument '\w+' .*must be|" + Rule.refusal
    )

    def applies(self, facts):
        """Methods and modules have none."""
        own = facts.api.rpartition(".")[2]
        function = not facts.api.startswith("torch.Tensor.") and not own[:1].isupper()
        return function and not own.endswith("_") and not facts.has("out")


RULE = Out()
