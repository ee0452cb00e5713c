"""Backward errors of solvers."""

import numpy as np
import pytest
import scipy.linalg

from assay_worker.libraries import load
from assay_worker.precision.requests import answer
from assay_worker.precision.residuals import backward

EPSILON = 2.0**-23


def matrices(count: int = 20) -> np.ndarray:
    """Nearly singular ones: a direction counts a hundred thousandth."""
    left, right = np.linalg.qr(np.random.default_rng(3).standard_normal((2, count, 4, 4)))[0]
    found = left @ (np.array([1.0, 0.7, 0.3, 1e-5])[:, None] * right)
    return found.astype("float32").astype("float64")


def test_a_stable_solver_has_a_small_residual_and_a_large_error() -> None:
    a = matrices()
    b = np.random.default_rng(4).standard_normal((20, 4)).astype("float32")
    pairs = zip(a.astype("float32"), b, strict=True)
    x = np.stack([scipy.linalg.solve(one, other) for one, other in pairs]).astype("float64")
    told = backward("keras.ops.solve", [a, b.astype("float64")], [x], "float32")
    assert told.max() < 8.0
    true = np.linalg.solve(a, b[..., None].astype("float64"))[..., 0]
    assert (np.abs(x - true) / np.abs(true)).max() > 1000 * EPSILON
    signs = np.array([1.0, -1.0, -1.0, 1.0])
    worse = backward(
        "keras.ops.solve", [a, b.astype("float64")], [x + 1e-3 * abs(x).max() * signs], "float32"
    )
    assert worse.min() > 50.0


def test_an_inverse_counts_on_its_better_side() -> None:
    a = matrices()
    inverse = np.linalg.inv(a).reshape(20, -1)
    assert backward("keras.ops.inv", [a], [inverse], "float32").max() < 1e-3
    off = inverse * (1.0 + 64 * EPSILON)
    told = backward("keras.ops.inv", [a], [off], "float32")
    scale = np.abs(a).sum(2).max(1) * np.abs(inverse.reshape(a.shape)).sum(2).max(1)
    assert told == pytest.approx(64 / scale, rel=1e-2)


def test_other_ops_shapes_and_float64_have_none() -> None:
    a = matrices()
    assert backward("keras.ops.det", [a], [a], "float32") is None
    assert backward("keras.ops.inv", [a[None]], [a], "float32") is None
    assert backward("keras.ops.inv", [a], [a], "float64") is None


def test_a_worker_tells_it_of_a_real_library() -> None:
    def case(op: str) -> dict[str, object]:
        node = {"id": "n0", "op": op, "inputs": ["x0"], "params": {}, "arguments": {}}
        inputs = [{"name": "x0", "shape": [4, 4], "dtype": "float32"}]
        return {
            "graph": {"inputs": inputs, "nodes": [node], "outputs": ["n0"]},
            "inputs": {"x0": {"kind": "uniform", "seed": 1, "low": 0.0, "high": 1.0}},
            "weights": {"kind": "uniform", "seed": 0, "low": -0.5, "high": 0.5},
            "explicit_weights": {},
            "loss": None,
            "training": False,
            "stage": "forward",
        }

    request = {
        "step": "measure",
        "case": case("torch.linalg.inv"),
        "shared": case("keras.ops.inv"),
        "inputs": {"x0": matrices()},
        "dtype": "float32",
        "computes": "float32",
        "wide": None,
        "wider": "",
    }
    told = answer(load("torch", "", "eager"), request)
    assert told["status"] in ("ok", "unknown"), told
    assert told["backward"].shape == (20,)
    assert 0.0 < told["backward"].max() < 8.0
