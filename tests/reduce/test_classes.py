"""Special classes that a reduction must not bring in."""

import numpy as np
import pytest

from assay.ir import Case, Explicit, Graph, Input, Node
from assay.ops import specs
from assay.reduce.classes import classes_of


def loss_of(labels: list[list[float]]) -> Case:
    array = np.array(labels, "float32")
    inputs = tuple(Input(name, array.shape) for name in ("labels", "predictions"))
    reads = ("labels", "predictions")
    node = Node("n", "keras.losses.CategoricalCrossentropy", reads, {"from_logits": True})
    arrays = {"labels": Explicit(array), "predictions": Explicit(array + 0.25)}
    return Case(Graph(inputs, (node,), ("n",)), arrays)


def test_labels_that_lost_their_class_are_no_distribution_any_more() -> None:
    assert "no distribution" not in classes_of(loss_of([[0, 1, 0], [1, 0, 0]]), specs())
    assert "no distribution" in classes_of(loss_of([[0, 1], [0, 0]]), specs())


def test_infinities_are_no_distribution_and_no_warning(
    recwarn: pytest.WarningsRecorder,
) -> None:
    assert "no distribution" in classes_of(loss_of([[float("inf"), float("-inf")]]), specs())
    assert not recwarn.list
