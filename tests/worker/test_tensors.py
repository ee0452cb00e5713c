"""Looking tensors up by name."""

import pytest

from assay_worker.libraries._base import StageFailure, lookup


def test_the_first_tensor_of_a_node_has_the_name_of_the_node() -> None:
    assert lookup({"n0": 5, "n0:1": 6}, "n0:0") == lookup({"n0": 5, "n0:1": 6}, "n0") == 5
    assert lookup({"n0": 5, "n0:1": 6}, "n0:1") == 6


def test_a_node_that_gives_too_few_tensors_is_named() -> None:
    with pytest.raises(StageFailure) as raised:
        lookup({"n0": 5, "n1": 6, "n1:1": 7}, "n1:2")
    failure = raised.value
    assert (failure.stage, failure.node) == ("forward", "n1")
    assert str(failure.original) == "gave 2 tensors where number 2 is read"
