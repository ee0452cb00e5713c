"""Calls of layers of the reference."""

from typing import Any

import numpy as np

from assay_worker.reference import Operation

#: h' = x + h / 2: of a recurrent layer, every state is a sum that can be read off.
HALVING = {"kernel": [[1.0]], "recurrent_kernel": [[0.5]], "bias": [0.0]}
STEPS = [[[8.0], [4.0], [2.0]]]


def _array(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return value
    array = np.asarray(value)
    return array.astype("float64") if array.dtype.kind == "f" else array


def run(
    op: str,
    *inputs: Any,
    weights: dict[str, Any] | None = None,
    keywords: dict[str, Any] | None = None,
    training: bool = False,
    **params: Any,
) -> tuple[Any, dict[str, Any]]:
    """Result and new state of a layer on arrays."""
    given = {name: np.asarray(value, "float64") for name, value in (weights or {}).items()}
    named = {name: _array(value) for name, value in (keywords or {}).items()}
    operation = Operation(f"keras.layers.{op}", params)
    result, state = operation.run([_array(x) for x in inputs], named, given, training)
    return result, state


def call(op: str, *inputs: Any, **more: Any) -> Any:
    """The result of ``keras.layers.<op>``."""
    return run(op, *inputs, **more)[0]


def nested(op: str, **params: Any) -> dict[str, Any]:
    """A layer as the parameter of another."""
    return {"$op": f"keras.layers.{op}", "params": params}
