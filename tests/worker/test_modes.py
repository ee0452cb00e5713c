"""Gradients that forward mode cannot be asked for are compared with finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay_worker.rules.modes import (
    differences,
    jax_forward,
    jax_reverse,
    torch_forward,
    torch_reverse,
)


def test_a_slope_that_differences_agree_with_stays() -> None:
    slope = 3 * np.cos(0.5) * (1 + 1e-4)
    assert differences(lambda step: 3 * np.sin(0.5 + step), slope, 1.0) == slope
    wrong = differences(lambda step: 3 * np.sin(0.5 + step), 1.02 * slope, 1.0)
    assert wrong == pytest.approx(3 * np.cos(0.5), rel=1e-6)


@pytest.mark.parametrize(
    ("along", "words"),
    [
        (abs, "not smooth"),
        (lambda step: abs(step + 1e-7), "not smooth"),
        (lambda step: float("nan"), "not smooth"),
        (lambda step: round(step + 0.3), "does not change"),
    ],
)
def test_where_there_is_no_slope_nothing_is_compared(
    along: Callable[[float], float], words: str
) -> None:
    with pytest.raises(NotImplementedError, match=words):
        differences(along, 1.0, 1.0)


def of_torch(factor: float) -> Callable[..., Any]:
    """A sine without forward mode, whose gradient is wrong by a factor."""
    torch = pytest.importorskip("torch")

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.sin(x)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * torch.cos(ctx.saved_tensors[0]) * factor

    return Sine.apply  # type: ignore[no-any-return]


def of_jax(factor: float) -> Callable[..., Any]:
    """The same of JAX."""
    jax = pytest.importorskip("jax")

    @jax.custom_vjp
    def sine(x: Any) -> Any:
        return jax.numpy.sin(x)

    def backward(x: Any, gradient: Any) -> Any:
        return (gradient * jax.numpy.cos(x) * factor,)

    sine.defvjp(lambda x: (jax.numpy.sin(x), x), backward)
    return sine  # type: ignore[no-any-return]


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gradient_without_forward_mode_is_compared_too(library: str, dtype: str) -> None:
    values = np.linspace(-1, 1, 7, dtype=dtype)
    if library == "torch":
        tensor = pytest.importorskip("torch").tensor(values)
        made, reverse, forward = of_torch, torch_reverse, torch_forward
    else:
        tensor = pytest.importorskip("jax.numpy").asarray(values)
        made, reverse, forward = of_jax, jax_reverse, jax_forward
    for factor in (1.0, 1.02):
        function = made(factor)
        first, second = (np.asarray(make(function)(tensor)) for make in (reverse, forward))
        share = abs(first[0] - second[0]) / abs(second[0])
        assert share == pytest.approx(factor - 1, abs=1e-5)
        assert first[1] == second[1]
        if factor == 1.0 and first.dtype == dtype == "float64":
            assert first[0] == second[0]  # no digit of double precision is lost on the way


def test_what_is_made_up_of_steps_is_left_alone() -> None:
    """A straight-through gradient is documented as one."""
    torch = pytest.importorskip("torch")

    class Steps(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return torch.round(x)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    with pytest.raises(NotImplementedError, match="does not change"):
        torch_forward(Steps.apply)(torch.tensor([0.2, 1.3]))
