"""A matrix gives the same when its rows are compressed."""

from assay_worker.rules._sparse import Layout, thinned, torch_dense, with_layout


def compressed(function):
    return with_layout(function, lambda matrix: matrix.to_sparse_csr())


class Csr(Layout):
    """Layout CSR."""

    name = "csr"
    says = "dense ≡ sparse, compressed by rows (CSR)"
    programs = {"torch": compressed}
    firsts = {"torch": torch_dense}
    helpers = (thinned, with_layout)


RULE = Csr()
