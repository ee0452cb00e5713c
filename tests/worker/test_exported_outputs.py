"""An exporter may add outputs; those of the model itself are compared."""

from collections import namedtuple

import pytest

from assay_worker.models.keras_compiled import _own_outputs

Port = namedtuple("Port", "names")

DEAD_END = Port({"functional_1/multi_head_attention_1/strided_slice:0"})
FIRST = Port({"functional_1/dense_4_1/Softmax:0", "Identity:0"})
SECOND = Port({"Identity_1:0"})


def test_outputs_are_taken_as_they_are_where_their_number_fits() -> None:
    assert _own_outputs([SECOND, FIRST], 2) == [SECOND, FIRST]


def test_dead_ends_that_became_outputs_are_left_out() -> None:
    assert _own_outputs([DEAD_END, FIRST], 1) == [FIRST]
    assert _own_outputs([SECOND, DEAD_END, FIRST], 2) == [FIRST, SECOND]


def test_outputs_that_cannot_be_told_apart_are_an_error() -> None:
    with pytest.raises(ValueError, match="expected 2 outputs"):
        _own_outputs([FIRST], 2)
