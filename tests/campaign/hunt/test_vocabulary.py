"""Which ops a pattern names."""

import pytest

from assay.campaign.hunt.vocabulary import select
from assay.errors import AssayError
from assay.libraries import vocabulary

KERAS = vocabulary(["keras"])


def test_without_patterns_every_op_is_selected() -> None:
    assert select((), KERAS) == KERAS


def test_a_whole_name_selects_that_op_only() -> None:
    assert set(select(("keras.ops.max",), KERAS)) == {"keras.ops.max"}


def test_patterns_and_parts_of_names_add_up() -> None:
    chosen = set(select(("keras.layers.Conv?D", "averagepooling2d"), KERAS))
    assert {"keras.layers.Conv1D", "keras.layers.Conv2D", "keras.layers.Conv3D"} < chosen
    assert "keras.layers.AveragePooling2D" in chosen
    assert "keras.layers.Conv2DTranspose" not in chosen


def test_a_pattern_that_names_nothing_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(AssayError, match=r'"keras\.layers\.Conv2d\*"\. Did you mean'):
        select(("keras.ops.max", "keras.layers.Conv2d*"), KERAS)
