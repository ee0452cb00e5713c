"""The oracle of searches: a screen in units in the last place."""

import numpy as np
import pytest

from assay.judge import contract, oracle
from assay.judge.precise import UNITS, PrecisionOracle
from tests.judge.examples import EXAMPLES


def test_it_is_found_by_name_and_keeps_the_contract() -> None:
    found = oracle("precision")
    assert isinstance(found, PrecisionOracle)
    contract.check_all(found, *EXAMPLES["numeric"])


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("size", [1.0, 1000.0, 1e-3])
def test_it_sees_what_is_more_units_apart_and_nothing_less(dtype: str, size: float) -> None:
    first = np.full(3, size, dtype)
    step = np.spacing(first[0])
    differ = PrecisionOracle().differ
    assert differ(first, (first + (UNITS - 1) * step).astype(dtype)) is None
    further = first + 3 * UNITS * step * np.array([0.0, 1.0, 0.0])
    found = differ(first, further.astype(dtype))
    assert found is not None
    assert (found.what, found.position) == ("value", (1,))


def test_hunts_would_not_see_it() -> None:
    first = np.ones(3, "float32")
    second = first * np.float32(1.0001)
    assert oracle("numeric").differ(first, second) is None  # type: ignore[attr-defined]
    assert PrecisionOracle().differ(first, second) is not None


def test_layers_that_compute_in_half_precision_have_its_units() -> None:
    first = np.ones(3, "float32")
    second = first * np.float32(1.01)
    assert PrecisionOracle().differ(first, second, coarse=30.0) is None
    assert PrecisionOracle().differ(first, second) is not None


def test_shapes_and_special_values_differ_as_for_any_oracle() -> None:
    differ = PrecisionOracle().differ
    shape = differ(np.ones(3), np.ones(2))
    nan = differ(np.ones(3), np.array([1.0, np.nan, 1.0]))
    assert shape is not None
    assert nan is not None
    assert (shape.what, nan.what) == ("shape", "nan")
    assert differ(np.array([np.nan]), np.array([np.nan])) is None
