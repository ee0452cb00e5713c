"""What the rules of sparse layouts share."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given, words


def thinned(value):
    """With zeros at every second place, on which sparse tensors save."""
    import torch

    places = torch.arange(value.numel()).reshape(value.shape)
    return torch.where(places % 2 == 1, value, torch.zeros_like(value))


def torch_dense(function):
    # The matrix that becomes sparse is the second argument of these.
    place = 1 if function.__name__ in ("addmm", "addmv") else 0

    def first(*args, **kwargs):
        own = list(args)
        own[place] = thinned(own[place])
        return function(*own, **kwargs)

    return first


def with_layout(function, turned):
    import torch

    place = 1 if function.__name__ in ("addmm", "addmv") else 0

    def second(*args, **kwargs):
        own = list(args)
        own[place] = turned(thinned(own[place]))
        result = function(*own, **kwargs)
        return result if result.layout == torch.strided else result.to_dense()

    return second


class Layout(Rule):
    """A matrix in a sparse layout, of which half is zero."""

    eagle = 8
    domain = (
        "products of matrices, and functions of single elements that are zero at zero, of a "
        "matrix; where there are kernels for the layout"
    )
    firsts = {"torch": torch_dense}
    #: Infinite numbers times zeros are not nothing.
    special = False
    raising = False
    products = ("mm", "matmul", "addmm", "addmv", "mv")
    single = words(
        """
    abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac log1p neg positive
    rad2deg relu round sgn sign signbit sin sinh sqrt square tan tanh trunc isinf isnan
    """
    )

    def applies(self, facts):
        """Matrices of floats."""
        own = facts.api.rpartition(".")[2]
        known = facts.api == "torch." + own and own in self.products + tuple(self.single)
        if not known or not facts.floating or facts.has("out") or given(facts, "", 0) is None:
            return False
        shapes = [item["shape"] for item in facts.inputs]
        place = 1 if own in ("addmm", "addmv") else 0
        return len(shapes) > place and len(shapes[place]) == 2 and 0 not in shapes[place]
