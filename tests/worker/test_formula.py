"""What a documented formula itself loses in the format of a call, and what it does not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay_worker.rules.formula import jax_formula, torch_formula
from assay_worker.rules.references import defined

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


def test_in_double_precision_only_its_own_rounding_is_excused() -> None:
    x = torch.linspace(-2.0, 2.0, 50, dtype=torch.float64)
    narrow = named("sigmoid", lambda x: 1 / (1 + torch.exp(-x * float(np.float32(1.0 + 1e-7)))))
    assert _apart(narrow(x), torch_formula(narrow)(x)) > 1e-9
    assert _apart(torch.sigmoid(x), torch_formula(torch.sigmoid)(x)) < 1e-14
    shrunk = torch.nn.functional.tanhshrink
    assert _apart(shrunk(x), torch_formula(shrunk)(x)) < 1e-9


def test_what_is_called_decides_and_no_other_function_of_that_name() -> None:
    x = torch.linspace(-2.0, 2.0, 5)
    alias = named("relu", lambda x: torch.nn.functional.mish(x))
    assert _apart(alias(x), torch_formula(alias, "mish")(x)) < 1e-6
    assert defined(torch.nn.functional.mish, "mish") is torch._refs.nn.functional.mish
    with pytest.raises(NotImplementedError):
        defined(alias, "relu")


def test_a_formula_does_not_leave_double_precision_where_the_function_avoids_that() -> None:
    numpy = pytest.importorskip("jax.numpy")
    special = pytest.importorskip("jax.scipy.special")
    x = numpy.array([1.0, 884.0])
    for function in (special.log_softmax, special.logsumexp):
        assert _apart(function(x), jax_formula(function)(x)) < 1e-6
    x = torch.tensor([1.0, 884.0])
    assert _apart(torch.logsumexp(x, 0), torch_formula(torch.logsumexp)(x, 0)) < 1e-6
    assert _apart(torch.logaddexp(x, x), torch_formula(torch.logaddexp)(x, x)) < 1e-6
    assert _apart(torch.logaddexp2(x, -x), torch_formula(torch.logaddexp2)(x, -x)) < 1e-6
