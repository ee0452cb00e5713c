"""A tensor gives the same whatever its strides are."""

from assay_worker.rules._base import Rule, mapped


def strided(function):
    import torch

    def spread(value):
        # The same numbers, every other element of a larger block: offset 1, last stride 2.
        if not isinstance(value, torch.Tensor) or value.layout != torch.strided or not value.dim():
            return value
        block = value.new_zeros(value.shape[:-1] + (2 * value.shape[-1] + 1,))
        view = block[..., 1::2]
        view.copy_(value)
        return view

    def second(*args, **kwargs):
        return function(*mapped(spread, args), **mapped(spread, kwargs))

    return second


class Strided(Rule):
    """Every tensor as a view with gaps and an offset."""

    name = "strided"
    says = "contiguous ≡ strided"
    domain = (
        "tensors of one axis and more; not what looks at strides itself, nor what says that it "
        "takes contiguous tensors only"
    )
    programs = {"torch": strided}
    helpers = (mapped,)
    refusal = r"contiguous|stride|" + Rule.refusal
    #: About memory, not about numbers.
    about_memory = (
        "as_strided", "as_strided_copy", "as_strided_scatter", "is_contiguous", "stride",
        "storage_offset", "set", "resize", "resize_as", "view", "view_as", "empty_strided",
        "is_set_to", "data_ptr", "untyped_storage", "view_as_complex", "slice_inverse",
    )  # fmt: skip

    def applies(self, facts):
        """Some tensor must have an axis."""
        own = facts.api.rpartition(".")[2].rstrip("_")
        return own not in self.about_memory and any(item["shape"] for item in facts.inputs)


RULE = Strided()
