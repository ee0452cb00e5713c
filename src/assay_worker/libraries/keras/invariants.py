"""Functions whose results have free signs or orders, made comparable.

Eigenvectors, singular vectors and the factors of QR are determined only up to
signs (and more where eigenvalues repeat), so two right answers can differ. What
follows from them does not: products that give back the matrix, and that the
vectors are orthonormal. Arms compare those, see ``reference/ops/linalg`` for the
same numbers in float64.
"""

_COMPARED = {}


def invariants(ops, op, function):
    """``function``, followed by what is comparable of its result for such ops."""
    if op not in _COMPARED:
        return function
    compared = _COMPARED[op]

    def comparable(x, **keywords):
        return compared(ops, x, function(x, **keywords))

    return comparable


def _transposed(ops, x):
    return ops.swapaxes(x, -1, -2)


def _qr(ops, x, result):
    q, r = result
    return [ops.matmul(q, r), ops.matmul(_transposed(ops, q), q), ops.abs(r)]


def _eigh(ops, x, result):
    values, vectors = result
    scaled = ops.multiply(vectors, ops.expand_dims(values, -2))
    transposed = _transposed(ops, vectors)
    return [values, ops.matmul(scaled, transposed), ops.matmul(transposed, vectors)]


def _eig(ops, x, result):
    values, vectors = result
    # A V - V diag(w) is zero; columns have length one; the sum of w is the trace.
    matrix = ops.cast(x, vectors.dtype)
    residual = ops.matmul(matrix, vectors) - ops.multiply(vectors, ops.expand_dims(values, -2))
    size = ops.sum(ops.abs(x), axis=(-2, -1), keepdims=True)
    # Beside 1, since zero has no rounding error to compare with.
    share = 1.0 + ops.abs(residual) / ops.where(size > 0, size, ops.ones_like(size))
    lengths = ops.sqrt(ops.sum(ops.square(ops.abs(vectors)), axis=-2))
    return [ops.real(ops.sum(values, axis=-1)), share, lengths]


def _svd(ops, x, result):
    if not isinstance(result, (list, tuple)):
        return [result]  # singular values alone
    left, values, right = result
    count = values.shape[-1]
    scaled = ops.multiply(left[..., :count], ops.expand_dims(values, -2))
    return [
        values,
        ops.matmul(scaled, right[..., :count, :]),
        ops.matmul(_transposed(ops, left), left),
        ops.matmul(right, _transposed(ops, right)),
    ]


for _path in ("keras.ops.", "keras.ops.linalg."):
    _COMPARED[_path + "qr"] = _qr
    _COMPARED[_path + "eigh"] = _eigh
    _COMPARED[_path + "eig"] = _eig
    _COMPARED[_path + "svd"] = _svd
