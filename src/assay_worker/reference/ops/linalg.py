"""The linear algebra of ``keras.ops``.

Eigenvectors, singular vectors and the factors of QR have free signs. Their
functions return what does not depend on them, as workers do (see
``libraries/keras/invariants``).
"""

import numpy as np
from scipy import linalg

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference

#: Beyond this condition float32 answers say little.
_WELL_CONDITIONED = 1e5


def _each(function, x, *shapes):
    """``function`` of each matrix of a batch, for functions that take one."""
    rest = x.shape[:-2]
    found = [function(matrix) for matrix in x.reshape((-1,) + x.shape[-2:])]
    if len(shapes) == 1:
        return np.asarray(found, dtype="float64").reshape(rest + shapes[0])
    return tuple(
        np.asarray([item[i] for item in found]).reshape(rest + shape)
        for i, shape in enumerate(shapes)
    )


def _need_definite(x):
    if not np.isfinite(x).all() or (x.size and np.linalg.eigvalsh(x).min() <= 0):
        raise Undocumented("what a matrix that is not positive definite gives is not documented")


def _need_conditioned(x):
    if not np.isfinite(x).all() or (x.size and np.linalg.cond(x).max() > _WELL_CONDITIONED):
        raise Undocumented("a matrix near a singular one has no accurate answer")


def _transposed(x):
    return np.swapaxes(x, -1, -2)


@reference("keras.ops.cholesky")
def cholesky(x, upper=False):
    """The lower factor L of x = L L', or the upper one."""
    _need_definite(x)
    factor = np.linalg.cholesky(x)
    return _transposed(factor) if upper else factor


@reference("keras.ops.cholesky_inverse")
def cholesky_inverse(x, upper=False):
    """The inverse of L L', or of U' U, given the triangular factor.

    Documented for the matrix itself, but then ``upper`` would say nothing.
    """
    if np.any(np.tril(x, -1) if upper else np.triu(x, 1)):
        raise Undocumented("whether x is the matrix or its factor is not documented clearly")
    factor = _transposed(x) if upper else x
    matrix = np.matmul(factor, _transposed(factor))
    _need_conditioned(matrix)
    return np.linalg.inv(matrix)


@reference("keras.ops.det")
def det(x):
    """Determinants."""
    return np.linalg.det(x)


@reference("keras.ops.inv")
def inv(x):
    """Inverses."""
    _need_conditioned(x)
    return np.linalg.inv(x)


@reference("keras.ops.lu_factor")
def lu_factor(x):
    """Both triangles in one matrix, and the rows exchanged (partial pivoting)."""
    size = x.shape[-1]
    return _each(linalg.lu_factor, x, (size, size), (size,))


@reference("keras.ops.eig")
def eig(x):
    """Invariants: sum of the eigenvalues, 1 + |A V - V diag(w)| / sum |A|, and lengths."""
    return np.trace(x, axis1=-2, axis2=-1), np.ones(x.shape), np.ones(x.shape[:-1])


@reference("keras.ops.eigh")
def eigh(x):
    """Invariants: ascending eigenvalues, V diag(w) V' and V' V."""
    return np.linalg.eigvalsh(x), x, np.broadcast_to(np.eye(x.shape[-1]), x.shape).copy()


def _unit(x, size):
    return np.broadcast_to(np.eye(size), x.shape[:-2] + (size, size)).copy()


@reference("keras.ops.qr")
def qr(x, mode="reduced"):
    """Invariants: Q R, Q' Q and the absolute values of R."""
    if mode not in ("reduced", "complete"):
        raise ValueError("expected mode reduced or complete; received %r" % (mode,))
    rows, columns = x.shape[-2:]
    size = rows if mode == "complete" else min(rows, columns)
    economic = "full" if mode == "complete" else "economic"
    if np.linalg.matrix_rank(x).min(initial=min(rows, columns)) < min(rows, columns):
        raise Undocumented("the factors of a matrix without full rank are not unique")
    factor = _each(lambda a: linalg.qr(a, mode=economic)[1], x, (size, columns))
    return x, _unit(x, size), np.abs(factor)


@reference("keras.ops.svd")
def svd(x, full_matrices=True, compute_uv=True):
    """Invariants: descending singular values, U S V', U' U and V' V."""
    values = np.linalg.svd(x, compute_uv=False)
    if not compute_uv:
        return values
    rows, columns = x.shape[-2:]
    if not full_matrices:
        rows = columns = min(rows, columns)
    return values, x, _unit(x, rows), _unit(x, columns)


@reference("keras.ops.solve")
def solve(a, b):
    """x of a x = b."""
    _need_conditioned(a)
    return np.linalg.solve(a, b[..., None])[..., 0] if b.ndim == 1 else np.linalg.solve(a, b)


@reference("keras.ops.solve_triangular")
def solve_triangular(a, b, lower=False):
    """x of a x = b, where only one triangle of a is read."""
    triangle = np.tril(a) if lower else np.triu(a)
    _need_conditioned(triangle)
    return solve(triangle, b)


def _need_clear_rank(x, tolerance):
    """No singular value may be near the cutoff."""
    values = np.linalg.svd(x, compute_uv=False)
    if not values.size:
        return
    largest = values.max(axis=-1, keepdims=True)
    cutoff = 1e-4 * largest if tolerance is None else tolerance * np.ones_like(largest)
    low = 1e-9 * largest if tolerance is None else 0.99 * cutoff
    high = 1e-3 * largest if tolerance is None else 1.01 * cutoff
    if np.any((values > low) & (values < high)):
        raise Undocumented("the rank depends on a cutoff that is not documented")


@reference("keras.ops.lstsq")
def lstsq(a, b, rcond=None):
    """The shortest x that minimises |a x - b|."""
    return np.tensordot(pinv(a, rcond), b, axes=1)


@reference("keras.ops.pinv")
def pinv(x, rcond=None):
    """The pseudoinverse."""
    if not np.isfinite(x).all():
        raise Undocumented("the pseudoinverse of values that are not finite is not documented")
    largest = np.linalg.svd(x, compute_uv=False)[..., :1]
    _need_clear_rank(x, None if rcond is None else rcond * largest)
    return np.linalg.pinv(x, 1e-5 if rcond is None else rcond)


@reference("keras.ops.matrix_rank")
def matrix_rank(x, tol=None):
    """How many singular values exceed the tolerance."""
    _need_clear_rank(x, tol)
    return np.linalg.matrix_rank(x, tol).astype("int32")


# --------------------------------------------------------------------- norms


def _vector_norm(x, order, axis):
    size = np.abs(x)
    if order in (None, 2):
        largest = np.max(size, axis=axis, keepdims=True)
        scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
        # Scaled, so that squares do not overflow.
        return (scale * np.sqrt(np.sum((size / scale) ** 2, axis=axis, keepdims=True))).squeeze(
            axis
        )
    if order == np.inf:
        return size.max(axis=axis)
    if order == -np.inf:
        return size.min(axis=axis)
    if order == 0:
        return np.sum(x != 0, axis=axis).astype("float64")
    if isinstance(order, str):
        raise ValueError("vectors have no norm %r" % (order,))
    return np.sum(size**order, axis=axis) ** (1.0 / order)


def _matrix_norm(x, order, axis):
    x = np.moveaxis(x, axis, (-2, -1))
    size = np.abs(x)
    if order in (None, "fro"):
        return _vector_norm(x, 2, (-2, -1))
    if order in (1, -1, np.inf, -np.inf):
        sums = size.sum(axis=-2 if abs(order) == 1 else -1)
        return sums.max(axis=-1) if order > 0 else sums.min(axis=-1)
    if order not in ("nuc", 2, -2):
        raise ValueError("matrices have no norm %r" % (order,))
    if not np.isfinite(x).all():
        raise Undocumented("singular values of what is not finite are not documented")
    values = np.linalg.svd(x, compute_uv=False)
    if order == "nuc":
        return values.sum(axis=-1)
    return values.max(axis=-1) if order == 2 else values.min(axis=-1)


@reference("keras.ops.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    """Vector or matrix norm, as in the table of the documentation."""
    over = arrays.axes(axis, x.ndim)
    if axis is None and (ord is None or x.ndim == 1):
        y = _vector_norm(x.reshape(-1), ord, -1)
    elif len(over) == 1:
        y = _vector_norm(x, ord, over[0])
    elif len(over) == 2:
        # In the order given: rows, then columns.
        chosen = over if axis is None else tuple(item % x.ndim for item in axis)
        y = _matrix_norm(x, ord, chosen)
    else:
        raise ValueError("expected one or two axes; received %r" % (axis,))
    if keepdims:
        y = y.reshape([1 if i in over else n for i, n in enumerate(x.shape)])
    return y


@reference("keras.ops.slogdet")
def slogdet(x):
    """Sign of the determinant, and the logarithm of its absolute value."""
    if not np.isfinite(x).all():
        raise Undocumented("the determinant of NaN or infinity is not documented")
    return tuple(np.linalg.slogdet(x))


# ------------------------------------------------------------------- others


@reference("keras.ops.cdist")
def cdist(x, y):
    """Euclidean distances of all pairs of rows."""
    difference = x[..., :, None, :] - y[..., None, :, :]
    largest = np.max(np.abs(difference), axis=-1, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return scale * np.sqrt(np.sum((difference / scale[..., None]) ** 2, axis=-1))


@reference("keras.ops.logdet")
def logdet(x):
    """Log of the determinant of a positive definite matrix."""
    return np.linalg.slogdet(x)[1]
