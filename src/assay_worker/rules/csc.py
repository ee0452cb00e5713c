"""A matrix gives the same when its columns are compressed."""

from assay_worker.rules._sparse import Layout, thinned, torch_dense, with_layout


def compressed(function):
    return with_layout(function, lambda matrix: matrix.to_sparse_csc())


class Csc(Layout):
    """Layout CSC."""

    name = "csc"
    says = "dense ≡ sparse, compressed by columns (CSC)"
    programs = {"torch": compressed}
    firsts = {"torch": torch_dense}
    helpers = (thinned, with_layout)


RULE = Csc()
