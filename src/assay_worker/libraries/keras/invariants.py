"""Functions whose results have free signs or orders, made comparable.

Eigenvectors, singular vectors and the factors of QR are determined only up to
signs (and more where eigenvalues repeat), so two right answers can differ. What
follows from them does not: products that give back the matrix, and that the
vectors are orthonormal. Arms compare those, see ``reference/ops/linalg`` for the
same numbers in float64. Scripts say the same in the same words.
"""

_SIZE = "keras.ops.sum(keras.ops.abs({x}), axis=(-2, -1), keepdims=True)"
#: By the last part of an op's name: the parts of its result, and what is compared, as code. ``x``
#: is the matrix.
COMPARED = {
    "qr": (
        ("q", "r"),
        (
            "keras.ops.matmul(q, r)",
            "keras.ops.matmul(keras.ops.swapaxes(q, -1, -2), q)",
            "keras.ops.abs(r)",
        ),
    ),
    "eigh": (
        ("w", "v"),
        (
            "w",
            "keras.ops.matmul(v * keras.ops.expand_dims(w, -2), keras.ops.swapaxes(v, -1, -2))",
            "keras.ops.matmul(keras.ops.swapaxes(v, -1, -2), v)",
        ),
    ),
    # A V - V diag(w) is zero (beside 1, since zero has no rounding error to compare with);
    # columns have length one; the sum of w is the trace.
    "eig": (
        ("w", "v"),
        (
            "keras.ops.real(keras.ops.sum(w, axis=-1))",
            "1.0 + keras.ops.abs(keras.ops.matmul(keras.ops.cast({x}, v.dtype), v)"
            " - v * keras.ops.expand_dims(w, -2))"
            " / keras.ops.where(" + _SIZE + " > 0, " + _SIZE + ", 1.0)",
            "keras.ops.sqrt(keras.ops.sum(keras.ops.square(keras.ops.abs(v)), axis=-2))",
        ),
    ),
    "svd": (
        ("u", "s", "v"),
        (
            "s",
            "keras.ops.matmul(u[..., : s.shape[-1]] * keras.ops.expand_dims(s, -2),"
            " v[..., : s.shape[-1], :])",
            "keras.ops.matmul(keras.ops.swapaxes(u, -1, -2), u)",
            "keras.ops.matmul(v, keras.ops.swapaxes(v, -1, -2))",
        ),
    ),
}
_PATHS = ("keras.ops.", "keras.ops.linalg.")


def invariants(keras, op, function):
    """``function``, followed by what is comparable of its result for such ops."""
    path, _, name = op.rpartition(".")
    if path + "." not in _PATHS or name not in COMPARED:
        return function
    parts, compared = COMPARED[name]
    codes = [compile(code.format(x="x"), __file__, "eval") for code in compared]

    def comparable(x, **keywords):
        result = function(x, **keywords)
        if not isinstance(result, (list, tuple)):
            return [result]  # singular values alone
        known = dict(zip(parts, result), x=x, keras=keras)
        return [eval(code, known) for code in codes]

    return comparable
