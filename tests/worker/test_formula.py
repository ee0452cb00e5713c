"""What a documented formula itself loses in the format of a call, and what it does not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay_worker.rules.formula import jax_formula, torch_formula

torch = pytest.importorskip("torch")


def _apart(plain: Any, second: Any) -> float:
    """The largest difference, as a share of the larger number."""
    first, other = (np.asarray(item, "float64") for item in (plain, second))
    size = np.maximum(np.maximum(np.abs(first), np.abs(other)), 1e-300)
    return float(np.max(np.abs(first - other) / size))


def test_what_the_formula_loses_is_no_difference() -> None:
    x = torch.linspace(1e-4, 3e-3, 50)
    shrunk = torch.nn.functional.tanhshrink
    exact = x.double() - torch.tanh(x.double())
    assert _apart(shrunk(x), exact) > 1e-3
    assert _apart(shrunk(x), torch_formula(shrunk)(x)) < 1e-6


def named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """As a patch of the function of that name."""
    function.__name__ = name
    return function


def test_another_formula_is_a_difference() -> None:
    x = torch.linspace(-20.0, -12.0, 50)
    unstable = named("softplus", lambda x: torch.log(torch.exp(x) + 1))
    assert _apart(unstable(x), torch_formula(unstable)(x)) > 1e-2
    wrong = named("tanhshrink", lambda x: (x - torch.tanh(x)) * 1.02)
    x = torch.linspace(0.1, 3.0, 50)
    assert _apart(wrong(x), torch_formula(wrong)(x)) > 1e-2


def test_what_a_function_is_there_to_avoid_is_a_difference() -> None:
    x = torch.linspace(1e-6, 1e-5, 50)
    naive = named("expm1", lambda x: torch.exp(x) - 1)
    assert _apart(naive(x), torch_formula(naive)(x)) > 1e-2


def test_formulas_of_numpy_have_the_format_of_the_call() -> None:
    numpy = pytest.importorskip("jax.numpy")
    x = numpy.linspace(-1e-4, -1e-5, 20)
    naive = named("elu", lambda x: numpy.where(x > 0, x, numpy.exp(x) - 1))
    assert _apart(naive(x), jax_formula(naive)(x)) > 1e-3
    naive = named("soft_sign", lambda x: x / (numpy.abs(x) + 1))
    assert _apart(naive(x), jax_formula(naive)(x)) < 1e-6
