"""Optimizers, regularizers, constraints and helpers on examples worked out by hand."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Operation
from assay_worker.reference.registry import Undocumented


def call(op: str, *inputs: Any, **params: Any) -> Any:
    arrays = [np.asarray(item) for item in inputs]
    return Operation("keras." + op, params).run(arrays, {}, {}, False)[0]


def step(name: str, x: Any, g: Any, **params: Any) -> Any:
    return call("optimizers." + name, np.asarray(x, "float64"), np.asarray(g, "float64"), **params)


def test_sgd() -> None:
    assert step("SGD", [1.0], [2.0], learning_rate=0.1) == pytest.approx(0.8)
    assert step("SGD", [1.0], [2.0], learning_rate=0.1, momentum=0.5) == pytest.approx(0.8)
    nesterov = step("SGD", [1.0], [2.0], learning_rate=0.1, momentum=0.5, nesterov=True)
    assert nesterov == pytest.approx(0.7)


def test_rmsprop_is_what_the_documentation_prints() -> None:
    assert step("RMSprop", [10.0], [10.0], learning_rate=0.1) == pytest.approx(9.683772)


@pytest.mark.parametrize("name", ["Adam", "Adamax", "Lion", "ScheduleFreeAdamW", "AdamW"])
def test_first_steps_by_sign(name: str) -> None:
    params = {"weight_decay": 0.0} if name == "AdamW" else {}
    found = step(name, [1.0, 1.0], [2.0, -3.0], learning_rate=0.1, **params)
    np.testing.assert_allclose(found, [0.9, 1.1], rtol=1e-5)


def test_weight_decay_is_decoupled() -> None:
    found = step("Adam", [1.0], [2.0], learning_rate=0.1, weight_decay=0.5)
    assert found == pytest.approx(0.95 - 0.1, rel=1e-5)
    free = step("ScheduleFreeAdamW", [1.0], [2.0], learning_rate=0.1, weight_decay=0.5)
    assert free == pytest.approx(0.95 - 0.1, rel=1e-5)


def test_clipping() -> None:
    by_norm = step("SGD", [0.0, 0.0], [3.0, 4.0], learning_rate=1.0, clipnorm=1.0)
    np.testing.assert_allclose(by_norm, [-0.6, -0.8])
    by_value = step("SGD", [0.0, 0.0], [3.0, 0.5], learning_rate=1.0, clipvalue=1.0)
    np.testing.assert_allclose(by_value, [-1.0, -0.5])


def test_a_global_norm_that_is_not_finite_makes_everything_nan() -> None:
    assert np.isnan(step("SGD", [0.0, 1.0], [np.inf, 4.0], global_clipnorm=1.0)).all()
    with pytest.raises(Undocumented):
        step("SGD", [0.0, 1.0], [np.inf, 4.0], clipnorm=1.0)


def test_the_first_of_several_accumulated_steps_changes_nothing() -> None:
    assert step("SGD", [1.0], [2.0], gradient_accumulation_steps=2) == 1.0


def test_a_gradient_that_is_not_finite_skips_the_step_of_a_scaled_loss() -> None:
    inner = {"$op": "keras.optimizers.SGD", "params": {"learning_rate": 0.5}}
    scaled = {"inner_optimizer": inner, "initial_scale": 4.0}
    assert step("LossScaleOptimizer", [1.0], [8.0], **scaled) == 0.0
    assert step("LossScaleOptimizer", [1.0], [np.inf], **scaled) == 1.0


def test_muon_makes_the_update_nearly_orthogonal() -> None:
    g = np.random.Generator(np.random.PCG64(0)).normal(size=(3, 5))
    update = step("Muon", np.zeros((3, 5)), g, learning_rate=-1.0, rms_rate=None)
    lengths = np.linalg.svd(update, compute_uv=False)
    assert ((lengths > 0.6) & (lengths < 1.4)).all()


def test_penalties() -> None:
    x = np.array([[3.0, -4.0]])
    assert call("regularizers.L1", x, l1=0.5) == 3.5
    assert call("regularizers.L2", x, l2=0.5) == 12.5
    assert call("regularizers.L1L2", x, l1=1.0, l2=1.0) == 32.0
    rows = np.array([[1.0, 0.0], [1.0, 1.0]])
    found = call("regularizers.OrthogonalRegularizer", rows, factor=1.0)
    assert found == pytest.approx(np.sqrt(0.5))


def test_constraints() -> None:
    w = np.array([[3.0, 0.3], [4.0, -0.4]])
    np.testing.assert_allclose(call("constraints.NonNeg", w), [[3.0, 0.3], [4.0, 0.0]])
    np.testing.assert_allclose(
        call("constraints.MaxNorm", w, max_value=1.0), [[0.6, 0.3], [0.8, -0.4]], rtol=1e-5
    )
    np.testing.assert_allclose(
        call("constraints.UnitNorm", w), [[0.6, 0.6], [0.8, -0.8]], rtol=1e-5
    )
    half = call("constraints.MinMaxNorm", w, min_value=1.0, max_value=2.0, rate=0.5)
    np.testing.assert_allclose(half, [[2.1, 0.45], [2.8, -0.6]], rtol=1e-5)


def test_helpers() -> None:
    np.testing.assert_allclose(call("utils.normalize", np.array([[3.0, 4.0]])), [[0.6, 0.8]])
    np.testing.assert_array_equal(
        call("utils.to_categorical", np.array([0, 2]), num_classes=3), [[1, 0, 0], [0, 0, 1]]
    )
    sequences = np.array([[4, 5, 6]])
    np.testing.assert_array_equal(call("utils.pad_sequences", sequences, maxlen=2), [[5, 6]])
    np.testing.assert_array_equal(
        call("utils.pad_sequences", sequences, maxlen=4, padding="post", value=-1.0),
        [[4, 5, 6, -1]],
    )
