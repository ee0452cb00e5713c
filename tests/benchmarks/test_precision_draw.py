"""Seeded faults of precision are what the benchmark says they are."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from seeded.inexact import FUNCTIONS, formula
from seeded.precision_draw import FAMILIES, LEAST, MOST, SMALL, drawn


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_second_fault_is_small_and_none_is_drawn_twice(seed: int) -> None:
    faults = drawn(20, seed)
    assert faults == drawn(20, seed)
    assert len({(fault.op, fault.target) for fault in faults}) == 20
    assert {fault.family for fault in faults if not fault.small} == set(FAMILIES)
    small = [fault for fault in faults if fault.small]
    assert len(small) == 10
    for fault in small:
        assert fault.family in SMALL
        assert fault.units is not None
        assert LEAST <= fault.units <= MOST
        assert fault.share is not None
        assert fault.share <= 0.01


def test_a_small_fault_is_as_far_off_as_it_says() -> None:
    fault = next(item for item in drawn(20, 4) if item.small)
    name, details = fault.op.rpartition(".")[2], fault.details
    x = np.random.default_rng(0).uniform(details["low"], details["high"], 50_000).astype("float32")
    exact = FUNCTIONS[name](x.astype("float64"))
    found = formula(x, name, fault.family, details).astype("float64")
    units = np.abs(found - exact) / np.spacing(np.abs(exact).astype("float32"))
    assert fault.units is not None
    assert 0.8 * fault.units < units.max() < 1.2 * fault.units
