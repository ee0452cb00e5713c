"""Growth of errors over executions, as a table."""

import msgspec
import pytest
from rich.console import Group

from assay.ir.precision import Grown
from assay.report.console import render
from assay.report.precision_growth import growth_parts, growth_power
from tests.report.test_precision import measurement

LINEAR = tuple(Grown(n, n * 2e-7, n * 1e-8, n / 2, 100) for n in range(1, 21))


def test_the_table_has_some_executions_and_the_power() -> None:
    results = [
        measurement("torch.nn.functional.softplus", target="keras-tensorflow", growth=LINEAR),
        measurement("keras.ops.tanh", growth=LINEAR[:3]),
        measurement("keras.ops.sum", growth_stopped="gives another shape than it takes"),
        measurement("keras.ops.max", growth_stopped="gives another shape than it takes"),
    ]
    text = render(Group(*growth_parts(results)), width=80)
    assert max(map(len, text.splitlines())) <= 80
    head, first, *_ = text.strip().splitlines()
    assert head.split() == ["operator", "target", "format", "1", "3", "7", "20", "power"]
    assert first.split()[-5:] == ["1.0e-08", "3.0e-08", "7.0e-08", "2.0e-07", "1.00"]
    assert "not executed again: keras.ops.sum and 1 more: gives another shape" in text
    assert growth_parts([measurement()]) == []


def test_the_power_is_that_of_mean_errors_that_were_measured() -> None:
    assert growth_power(LINEAR) == pytest.approx(1.0)
    squares = [msgspec.structs.replace(item, mean_abs=item.mean_abs**2) for item in LINEAR]
    assert growth_power(squares) == pytest.approx(2.0)
    nothing = [msgspec.structs.replace(item, measured=0) for item in LINEAR]
    assert growth_power(nothing) is None
