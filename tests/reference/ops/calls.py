"""Calls of reference functions by public path."""

from typing import Any

import numpy as np

from assay_worker.reference import Operation


def call(op: str, *tensors: Any, **params: Any) -> Any:
    """The result of ``keras.ops.<op>``; arrays given as ``params`` are keyword tensors."""
    keywords = {name: value for name, value in params.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in params.items() if name not in keywords}
    operation = Operation(f"keras.ops.{op}", plain)
    return operation.run([_tensor(item) for item in tensors], keywords, {}, False)[0]


def _tensor(value: Any) -> Any:
    """A list of arrays is one argument."""
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return value
    return np.asarray(value)
