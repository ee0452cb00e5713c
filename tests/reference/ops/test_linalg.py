"""Linear algebra: definitions, and what does not depend on the signs of vectors."""

from types import SimpleNamespace

import numpy as np
import pytest

from assay_worker.libraries.keras.invariants import invariants
from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call

DRAW = np.random.default_rng(5)
SQUARE = DRAW.normal(size=(2, 4, 4)) + 4 * np.eye(4)
#: NumPy's functions under the names of Keras'.
NAMES = SimpleNamespace(ops=np)
DEFINITE = np.matmul(SQUARE, np.swapaxes(SQUARE, -1, -2))


def test_factors_give_back_the_matrix() -> None:
    lower = call("cholesky", DEFINITE)
    assert np.allclose(lower @ np.swapaxes(lower, -1, -2), DEFINITE)
    assert np.allclose(np.swapaxes(call("cholesky", DEFINITE, upper=True), -1, -2), lower)
    assert np.allclose(call("cholesky_inverse", lower) @ DEFINITE, np.eye(4))
    factors, pivots = call("lu_factor", SQUARE)
    for matrix, factor, rows in zip(SQUARE, factors, pivots, strict=True):
        rebuilt = (np.tril(factor, -1) + np.eye(4)) @ np.triu(factor)
        for place, row in reversed(list(enumerate(rows.astype(int)))):
            rebuilt[[place, row]] = rebuilt[[row, place]]
        assert np.allclose(rebuilt, matrix)
    with pytest.raises(Unsupported):
        call("cholesky", -np.eye(2))


def test_systems_are_solved() -> None:
    b = DRAW.normal(size=(2, 4, 3))
    assert np.allclose(SQUARE @ call("solve", SQUARE, b), b)
    assert np.allclose(SQUARE[0] @ call("solve", SQUARE[0], b[0, :, 0]), b[0, :, 0])
    found = call("solve_triangular", SQUARE, b, lower=True)
    assert np.allclose(np.tril(SQUARE) @ found, b)
    assert np.allclose(call("inv", SQUARE) @ SQUARE, np.eye(4))
    wide = DRAW.normal(size=(3, 5))
    assert np.allclose(
        call("lstsq", wide, b[0, :3]), np.linalg.lstsq(wide, b[0, :3], rcond=None)[0]
    )
    assert np.allclose(call("pinv", wide), np.linalg.pinv(wide))


def test_norms_of_the_table() -> None:
    x = np.arange(9.0).reshape(3, 3) - 4
    assert np.isclose(call("norm", x), 7.7459664)
    expected = {"fro": 7.7459664, "nuc": 9.797959, 1: 7, -1: 6, 2: 7.3484692, -2: 0}
    for order, value in {**expected, np.inf: 9, -np.inf: 2}.items():
        assert np.isclose(call("norm", x, ord=order), value, atol=1e-6), order
    vector = np.array([3.0, 0.0, -4.0])
    for order, value in {None: 5, 0: 2, 1: 7, 3: 91 ** (1 / 3), np.inf: 4, -np.inf: 0}.items():
        assert np.isclose(call("norm", vector, ord=order), value), order
    stack = DRAW.normal(size=(2, 3, 4))
    found = call("norm", stack, ord=1, axis=(2, 0), keepdims=True)
    assert found.shape == (1, 3, 1)
    assert np.allclose(found[0, :, 0], np.abs(stack).sum(axis=2).max(axis=0))
    with pytest.raises(ValueError, match="norm"):
        call("norm", x, ord=3)


def test_rank_counts_what_exceeds_the_tolerance() -> None:
    assert call("matrix_rank", [[1.0, 2.0], [2.0, 4.0]]) == 1
    assert call("matrix_rank", np.diag([3.0, 1.0, 0.5]), tol=0.7) == 2


@pytest.mark.parametrize("name", ["qr", "eigh", "svd"])
def test_free_signs_do_not_change_what_is_compared(name: str) -> None:
    x = DEFINITE if name == "eigh" else DRAW.normal(size=(2, 4, 3))
    function = getattr(np.linalg, name)

    def flipped(x: np.ndarray) -> tuple[np.ndarray, ...]:
        parts = list(function(x))
        parts[-1] = -parts[-1]
        if name != "eigh":
            parts[0] = -parts[0]
        return tuple(parts)

    usual = invariants(NAMES, f"keras.ops.{name}", function)(x)
    other = invariants(NAMES, f"keras.ops.{name}", flipped)(x)
    params = {"full_matrices": True} if name == "svd" else {}
    for one, two, truth in zip(usual, other, call(name, x, **params), strict=True):
        assert np.allclose(one, two)
        assert np.allclose(one, truth)


def test_wrong_vectors_change_what_is_compared() -> None:
    def wrong(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, vectors = np.linalg.eigh(x)
        return values, vectors[..., ::-1]

    found = invariants(NAMES, "keras.ops.eigh", wrong)(DEFINITE)
    assert not np.allclose(found[1], call("eigh", DEFINITE)[1])


def test_distances_do_not_overflow() -> None:
    found = call("cdist", [[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    assert np.allclose(found, 1.0)
    assert np.isclose(call("cdist", [[3e200, 0.0]], [[0.0, 4e200]])[0, 0], 5e200)


def test_nan_times_a_scalar_zero_is_nan() -> None:
    vector = np.array([1.0, np.nan])
    for op in ("dot", "inner"):
        assert np.isnan(call(op, vector, np.float64(0.0))).tolist() == [False, True]
