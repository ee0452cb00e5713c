"""Calls for rules: one in the domain, a fault that the rule must see, a call outside of it.

Plain data and functions of arrays, so that the tests and the process of a library share it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Fault = Callable[[Callable[..., Any]], Callable[..., Any]]


class Call:
    """An API, its arguments as plain data, and the arrays that they name."""

    def __init__(
        self,
        api: str,
        arguments: dict[str, Any],
        params: dict[str, Any] | None = None,
        inputs: Sequence[str] = (),
        **arrays: Any,
    ) -> None:
        self.api, self.arguments, self.params = api, arguments, params or {}
        self.inputs = tuple(inputs)
        self.arrays = {name: np.asarray(array) for name, array in arrays.items()}

    def case(self) -> dict[str, Any]:
        """The case that a worker gets."""
        inputs = [
            {"name": name, "shape": list(array.shape), "dtype": array.dtype.name}
            for name, array in self.arrays.items()
        ]
        node = {
            "id": "call",
            "op": self.api,
            "inputs": list(self.inputs),
            "params": self.params,
            "arguments": self.arguments,
        }
        return {
            "graph": {"inputs": inputs, "nodes": [node], "outputs": ["call"]},
            "inputs": {
                name: {"kind": "explicit", "array": array} for name, array in self.arrays.items()
            },
            "weights": {"kind": "uniform", "seed": 3, "low": -0.5, "high": 0.5},
            "explicit_weights": {},
            "loss": None,
            "optimizer": None,
            "training": False,
            "stage": "forward",
        }


class Example:
    """``fault`` wraps the API (of a class, its call) or what is ``at`` another path.

    The rule must see it, and leave the call ``outside`` alone.
    """

    def __init__(self, rule: str, inside: Call, fault: Fault, outside: Call, at: str = "") -> None:
        self.rule, self.inside, self.fault, self.outside = rule, inside, fault, outside
        self.at = at or inside.api


def T(name: str) -> dict[str, str]:
    """A tensor, by the name of its array."""
    return {"$tensor": name}


def numbers(*shape: int, dtype: str = "float32", seed: int = 0) -> Any:
    """Between -1 and 1."""
    made = np.random.default_rng(seed).uniform(-1, 1, shape)
    return made.astype(dtype)


def scaled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Always a little too much."""

    def faulty(*args: Any, **kwargs: Any) -> Any:
        return changed(function(*args, **kwargs), lambda leaf: leaf * 1.01)

    return faulty


def shifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Always the same too much: neither homogeneous nor odd."""

    def faulty(*args: Any, **kwargs: Any) -> Any:
        return changed(function(*args, **kwargs), lambda leaf: leaf + 0.05)

    return faulty


def by_size(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrong by how long the first axis of the result is."""

    def faulty(*args: Any, **kwargs: Any) -> Any:
        return changed(function(*args, **kwargs), lambda leaf: leaf * (1 + leaf.shape[0] / 100))

    return faulty


def where(name: str, wrong: Any, place: int = -1) -> Fault:
    """Wrong where an argument is that."""

    def fault(function: Callable[..., Any]) -> Callable[..., Any]:
        def faulty(*args: Any, **kwargs: Any) -> Any:
            found = kwargs.get(name, args[place] if 0 <= place < len(args) else None)
            result = function(*args, **kwargs)
            hit = wrong(found) if callable(wrong) else found == wrong
            return changed(result, lambda leaf: leaf * 1.01) if hit else result

        return faulty

    return fault


def changed(result: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(result, (list, tuple)):
        parts = [changed(part, change) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return change(result)
