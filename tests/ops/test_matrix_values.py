"""Tensors with a structure: matrices of a kind, image transforms, complex numbers."""

import numpy as np
import pytest

from assay.ir import Matrix, Uniform
from assay.ops import Domain, Draw
from assay.ops.values import MATRIX_CLASSES, ordinary, special, value_classes

SHAPES = {"affine": (3, 8), "corners": (2, 4, 2)}


def _array(kind: str, label: str = "ordinary") -> np.ndarray:
    return Matrix(11, kind, label).materialise(SHAPES.get(kind, (2, 3, 5, 5)), "float32")


@pytest.mark.parametrize("kind", sorted(MATRIX_CLASSES))
def test_a_domain_draws_its_kind_and_everythingial_class_of_it(kind: str) -> None:
    domain = Domain(kind=kind)  # type: ignore[arg-type]  # the table has the literals
    assert ordinary(domain, "float32", 3) == Matrix(3, kind)
    met = {special(Draw(seed), domain, "float32", seed, 50)[1][0] for seed in range(60)}
    assert met == set(value_classes(domain, "float32")) == set(MATRIX_CLASSES[kind])
    for label in met:
        assert np.isfinite(_array(kind, label)).all()


def test_structures_hold() -> None:
    transposed = np.swapaxes(_array("symmetric"), -1, -2)
    assert np.array_equal(_array("symmetric"), transposed)
    assert np.linalg.eigvalsh(_array("positive_definite")).min() > 0
    assert np.linalg.eigvalsh(_array("positive_definite", "indefinite")).max() < 0
    for kind in ("invertible", "lower", "upper"):
        assert np.linalg.cond(_array(kind)).max() < 100
    assert not np.triu(_array("lower"), 1).any()
    assert not np.tril(_array("upper"), -1).any()
    assert np.allclose(np.linalg.det(_array("invertible", "singular")), 0)
    assert np.array_equal(_array("symmetric", "identity")[1, 2], np.eye(5))
    assert not _array("affine")[:, 6:].any()


def test_a_matrix_must_be_square() -> None:
    with pytest.raises(ValueError, match="square"):
        Matrix(1, "invertible").materialise((2, 3), "float32")


def test_both_parts_of_complex_numbers_are_drawn() -> None:
    found = Uniform(7, -1.0, 1.0).materialise((40,), "complex64")
    assert found.dtype == np.complex64
    assert np.array_equal(found.real, Uniform(7, -1.0, 1.0).materialise((40,), "float32"))
    assert found.imag.std() > 0.3
    assert not np.array_equal(found.real, found.imag)
