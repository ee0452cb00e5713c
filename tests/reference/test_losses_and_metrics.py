"""Losses and metrics on the examples that Keras' documentation prints."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Operation, Unsupported, names

BINARY_TRUE, BINARY_LOGITS = [[0, 1], [0, 0]], [[-18.6, 0.51], [2.94, -12.8]]
ONE_HOT, SCORES = [[0, 1, 0], [0, 0, 1]], [[0.05, 0.95, 0], [0.1, 0.8, 0.1]]
SQUARE_TRUE, SQUARE_PRED = [[0, 1], [0, 0]], [[0.6, 0.4], [0.4, 0.6]]
MASKS = [[[[1.0], [1.0]], [[0.0], [0.0]]], [[[1.0], [1.0]], [[0.0], [0.0]]]]
FILLED = [[[[0.0], [1.0]], [[0.0], [1.0]]], [[[0.4], [0.0]], [[0.0], [0.9]]]]
FIVE_TRUE, FIVE_PRED = [0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8]


def call(op: str, y_true: Any, y_pred: Any, weights: Any = None, **params: Any) -> Any:
    keywords = {} if weights is None else {"sample_weight": np.asarray(weights, "float64")}
    arrays = [np.asarray(y_true, "float64"), np.asarray(y_pred, "float64")]
    with np.errstate(all="ignore"):
        return Operation(op, params).run(arrays, keywords, {}, False)[0]


@pytest.mark.parametrize(
    ("name", "y_true", "y_pred", "params", "expected"),
    [
        ("MeanSquaredError", [1.0, 0.0, 1.0], [0.9, 0.1, 0.8], {}, 0.02),
        ("MeanAbsoluteError", [1.0, 0.3, 1.0], [1.9, 0.3, 1.8], {}, 0.5666667),
        ("MeanAbsolutePercentageError", [100.0, 200, 300], [90.0, 210, 310], {}, 6.111111),
        ("Huber", SQUARE_TRUE, SQUARE_PRED, {}, 0.155),
        ("LogCosh", [[0.0, 1], [0, 0]], [[1.0, 1], [0, 0]], {}, 0.10844523),
        ("CosineSimilarity", [[0.0, 1], [1, 1]], [[1.0, 0], [1, 1]], {"reduction": None}, [0, -1]),
        ("BinaryCrossentropy", BINARY_TRUE, BINARY_LOGITS, {"from_logits": True}, 0.8654),
        (
            "BinaryCrossentropy",
            BINARY_TRUE,
            BINARY_LOGITS,
            {"from_logits": True, "reduction": None},
            [0.235, 1.496],
        ),
        (
            "BinaryFocalCrossentropy",
            BINARY_TRUE,
            BINARY_LOGITS,
            {"gamma": 4.0, "from_logits": True, "reduction": "sum"},
            1.222,
        ),
        (
            "BinaryFocalCrossentropy",
            BINARY_TRUE,
            BINARY_LOGITS,
            {"apply_class_balancing": True, "gamma": 3.0, "from_logits": True},
            0.482,
        ),
        ("CategoricalCrossentropy", ONE_HOT, SCORES, {"reduction": None}, [0.0513, 2.303]),
        ("CategoricalFocalCrossentropy", ONE_HOT, SCORES, {}, 0.23315276),
        ("SparseCategoricalCrossentropy", [1, 2], SCORES, {"reduction": "sum"}, 2.354),
        ("Dice", MASKS, FILLED, {"axis": (1, 2, 3), "reduction": None}, [0.5, 0.75757575]),
        ("Dice", MASKS, FILLED, {}, 0.6164384),
        ("Tversky", MASKS, FILLED, {}, 0.6164384),
    ],
)
def test_losses_are_what_the_documentation_prints(
    name: str, y_true: Any, y_pred: Any, params: dict[str, Any], expected: Any
) -> None:
    np.testing.assert_allclose(
        call("keras.losses." + name, y_true, y_pred, **params), expected, rtol=2e-3, atol=1e-6
    )


@pytest.mark.parametrize(
    ("name", "y_true", "y_pred", "weights", "params", "expected"),
    [
        ("CategoricalCrossentropy", ONE_HOT, SCORES, [0.3, 0.7], {}, 0.814),
        ("CategoricalFocalCrossentropy", ONE_HOT, SCORES, [0.3, 0.7], {}, 0.1632),
        (
            "BinaryCrossentropy",
            BINARY_TRUE,
            BINARY_LOGITS,
            [0.8, 0.2],
            {"from_logits": True},
            0.243,
        ),
    ],
)
def test_sample_weights_of_losses(
    name: str, y_true: Any, y_pred: Any, weights: Any, params: dict[str, Any], expected: float
) -> None:
    found = call("keras.losses." + name, y_true, y_pred, weights, **params)
    assert found == pytest.approx(expected, rel=5e-3)


def test_label_smoothing_counts_the_classes_along_the_axis() -> None:
    generator = np.random.Generator(np.random.PCG64(0))
    y_true = np.eye(4)[generator.integers(4, size=(2, 3))]
    y_pred = generator.random((2, 3, 4))
    params = {"label_smoothing": 0.1, "reduction": None}
    last = call("keras.losses.CategoricalCrossentropy", y_true, y_pred, **params)
    moved = call(
        "keras.losses.CategoricalCrossentropy",
        np.moveaxis(y_true, -1, 1),
        np.moveaxis(y_pred, -1, 1),
        axis=1,
        **params,
    )
    np.testing.assert_allclose(last, moved)


def test_alpha_of_tversky_is_for_false_positives() -> None:
    found = call("keras.losses.Tversky", [[1.0, 0.0]], [[1.0, 1.0]], alpha=0.9, beta=0.1)
    assert found == pytest.approx(1 - 1 / 1.9)


def test_large_logits_do_not_saturate() -> None:
    found = call(
        "keras.losses.BinaryFocalCrossentropy", [[0.0]], [[200.0]], from_logits=True, gamma=2.0
    )
    assert found == pytest.approx(200.0)


@pytest.mark.parametrize(
    ("label", "logit", "loss"), [(1.0, np.inf, 0.0), (0.0, np.inf, np.inf), (0.5, -np.inf, np.inf)]
)
def test_a_certain_logit_has_the_loss_that_large_ones_tend_to(
    label: float, logit: float, loss: float
) -> None:
    found = call("keras.losses.BinaryCrossentropy", [[label]], [[logit]], from_logits=True)
    assert found == loss


def test_ctc_of_one_label_in_one_step_is_its_cross_entropy() -> None:
    logits = np.array([[[0.3, -1.0, 2.0]]])
    expected = np.log(np.exp(logits).sum()) - 2.0
    assert call("keras.losses.CTC", [[2]], logits) == pytest.approx(expected)


def test_ctc_sums_over_all_alignments() -> None:
    # Two steps, one label, even logits: 11, 01 and 10 of the nine paths.
    found = call("keras.losses.CTC", [[1]], np.zeros((1, 2, 3)))
    assert found == pytest.approx(-np.log(3 / 9))


@pytest.mark.parametrize(
    ("name", "y_true", "y_pred", "params", "expected"),
    [
        ("Accuracy", [[1], [2], [3], [4]], [[0], [2], [3], [4]], {}, 0.75),
        ("BinaryAccuracy", [[1], [1], [0], [0]], [[0.98], [1], [0], [0.6]], {}, 0.75),
        (
            "CategoricalAccuracy",
            [[0, 0, 1], [0, 1, 0]],
            [[0.1, 0.9, 0.8], [0.05, 0.95, 0]],
            {},
            0.5,
        ),
        ("SparseCategoricalAccuracy", [2, 1], [[0.1, 0.6, 0.3], [0.05, 0.95, 0]], {}, 0.5),
        ("TopKCategoricalAccuracy", ONE_HOT, [[0.1, 0.9, 0.8], [0.05, 0.95, 0]], {"k": 1}, 0.5),
        (
            "SparseTopKCategoricalAccuracy",
            [2, 1],
            [[0.1, 0.9, 0.8], [0.05, 0.95, 0]],
            {"k": 1},
            0.5,
        ),
        ("KLDivergence", SQUARE_TRUE, SQUARE_PRED, {}, 0.45814306),
        ("Poisson", SQUARE_TRUE, [[1, 1], [0, 0]], {}, 0.49999997),
        ("Hinge", SQUARE_TRUE, SQUARE_PRED, {}, 1.3),
        ("SquaredHinge", SQUARE_TRUE, SQUARE_PRED, {}, 1.86),
        ("CategoricalHinge", SQUARE_TRUE, SQUARE_PRED, {}, 1.4),
        ("BinaryCrossentropy", SQUARE_TRUE, SQUARE_PRED, {}, 0.81492424),
        ("SparseCategoricalCrossentropy", [1, 2], SCORES, {}, 1.1769392),
        ("MeanAbsolutePercentageError", SQUARE_TRUE, [[1, 1], [0, 0]], {}, 2.5e8),
        ("MeanSquaredLogarithmicError", SQUARE_TRUE, [[1, 1], [0, 0]], {}, 0.12011322),
        ("RootMeanSquaredError", SQUARE_TRUE, [[1, 1], [0, 0]], {}, 0.5),
        ("CosineSimilarity", [[0.0, 1], [1, 1]], [[1.0, 0], [1, 1]], {"axis": 1}, 0.5),
        ("LogCoshError", SQUARE_TRUE, [[1, 1], [0, 0]], {}, 0.10844523),
        ("R2Score", [[1], [4], [3]], [[2], [4], [4]], {}, 0.57142854),
        (
            "PearsonCorrelation",
            [[0, 1, 0.5], [1, 1, 0.2]],
            [[0.1, 0.9, 0.5], [1, 0.9, 0.2]],
            {},
            0.9966996,
        ),
        (
            "ConcordanceCorrelation",
            [[0, 1, 0.5], [1, 1, 0.2]],
            [[0.1, 0.9, 0.5], [1, 0.9, 0.2]],
            {},
            0.9816320,
        ),
        (
            "FBetaScore",
            [[1, 1, 1], [1, 0, 0], [1, 1, 0]],
            [[0.2, 0.6, 0.7], [0.2, 0.6, 0.6], [0.6, 0.8, 0.0]],
            {"beta": 2.0, "threshold": 0.5},
            [0.3846154, 0.90909094, 0.8333334],
        ),
        ("FalsePositives", [0, 1, 0, 0], [0, 0, 1, 1], {}, 2),
        ("FalseNegatives", [0, 1, 1, 1], [0, 1, 0, 0], {}, 2),
        ("TrueNegatives", [0, 1, 0, 0], [1, 1, 0, 0], {}, 2),
        ("TruePositives", [0, 1, 1, 1], [1, 0, 1, 1], {}, 2),
        ("Precision", [0, 1, 1, 1], [1, 0, 1, 1], {}, 0.6666667),
        ("Recall", [0, 1, 1, 1], [1, 0, 1, 1], {}, 0.6666667),
        ("SensitivityAtSpecificity", FIVE_TRUE, FIVE_PRED, {"specificity": 0.5}, 0.5),
        ("SpecificityAtSensitivity", FIVE_TRUE, FIVE_PRED, {"sensitivity": 0.5}, 0.66666667),
        ("PrecisionAtRecall", FIVE_TRUE, FIVE_PRED, {"recall": 0.5}, 0.5),
        ("RecallAtPrecision", [0, 0, 1, 1], [0, 0.5, 0.3, 0.9], {"precision": 0.8}, 0.5),
        ("AUC", [0, 0, 1, 1], [0, 0.5, 0.3, 0.9], {"num_thresholds": 3}, 0.75),
        ("MeanIoU", [0, 0, 1, 1], [0, 1, 0, 1], {"num_classes": 2}, 0.33333334),
        (
            "IoU",
            [0, 0, 1, 1],
            [0, 1, 0, 1],
            {"num_classes": 2, "target_class_ids": (0,)},
            0.33333334,
        ),
        ("BinaryIoU", [0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7], {"threshold": 0.3}, 0.33333334),
    ],
)
def test_metrics_are_what_the_documentation_prints(
    name: str, y_true: Any, y_pred: Any, params: dict[str, Any], expected: Any
) -> None:
    found = call("keras.metrics." + name, y_true, y_pred, **params)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_adjusted_r2_counts_samples_not_numbers() -> None:
    y_true, y_pred = [[1.0, 2], [2, 1], [4, 3]], [[1.1, 2.2], [2.3, 0.9], [4.0, 3.1]]
    plain = call("keras.metrics.R2Score", y_true, y_pred, class_aggregation=None)
    adjusted = call(
        "keras.metrics.R2Score", y_true, y_pred, class_aggregation=None, num_regressors=1
    )
    np.testing.assert_allclose(adjusted, 1 - (1 - plain) * 2 / 1)


@pytest.mark.parametrize(
    ("op", "y_true", "y_pred", "params"),
    [
        ("keras.losses.Dice", [[0.0]], [[0.0]], {}),
        ("keras.losses.SparseCategoricalCrossentropy", [3], [[0.5, 0.5]], {}),
        ("keras.metrics.CategoricalAccuracy", [[1, 0]], [[0.5, 0.5]], {}),
        ("keras.metrics.PearsonCorrelation", [[1, 1]], [[0.5, 0.2]], {}),
    ],
)
def test_nothing_is_claimed_where_the_documentation_is_silent(
    op: str, y_true: Any, y_pred: Any, params: dict[str, Any]
) -> None:
    with pytest.raises(Unsupported):
        call(op, y_true, y_pred, **params)


def test_all_losses_have_a_reference() -> None:
    assert sum(name.startswith("keras.losses.") and name[13].isupper() for name in names()) == 22
