"""A matrix gives the same when it is stored in blocks, those that are not zero."""

from assay_worker.rules._sparse import Layout, thinned, torch_dense, with_layout


def compressed(function):
    def turned(matrix):
        size = 1 if matrix.shape[0] % 2 or matrix.shape[1] % 2 else 2
        return matrix.to_sparse_bsr((size, size))

    return with_layout(function, turned)


class Bsr(Layout):
    """Layout BSR."""

    name = "bsr"
    says = "dense ≡ sparse, by blocks (BSR)"
    programs = {"torch": compressed}
    firsts = {"torch": torch_dense}
    helpers = (thinned, with_layout)


RULE = Bsr()
