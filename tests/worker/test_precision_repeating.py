"""Errors of an op on its own result, again and again."""

from typing import Any

import numpy as np
import pytest

from assay_worker.precision.repeating import Stopped, grown


def narrow(inputs: Any) -> Any:
    """1.1 times a number in float32."""
    (x,) = inputs.values()
    return [(x.astype("float32") * np.float32(1.1)).astype("float64").reshape(len(x), -1)]


def wide(inputs: Any) -> Any:
    (x,) = inputs.values()
    return [(x * 1.1).reshape(len(x), -1)]


def test_errors_add_up_over_executions() -> None:
    x = np.random.default_rng(1).standard_normal((20, 3, 2)).astype("float32").astype("float64")
    told = grown(narrow, wide, {"x0": x}, 8, "x0", lambda: "float32")
    assert len(told) == 8
    ours, true = x.copy(), x.copy()
    for item in told:
        ours = (ours.astype("float32") * np.float32(1.1)).astype("float64")
        true = true * 1.1
        assert item["mean_abs"] == pytest.approx(np.abs(ours - true).mean(), rel=1e-12)
        assert item["max_abs"] == pytest.approx(np.abs(ours - true).max(), rel=1e-12)
        assert item["measured"] == x.size
    assert told[-1]["mean_abs"] > 4 * told[0]["mean_abs"]


def test_what_is_infinite_is_not_measured() -> None:
    def cubed(inputs: Any) -> Any:
        (x,) = inputs.values()
        with np.errstate(over="ignore"):
            return [(x**9).reshape(len(x), -1)]

    told = grown(cubed, cubed, {"x0": np.full((2, 3), 10.0)}, 4, "x0", lambda: "float32")
    assert [item["measured"] for item in told] == [6, 6, 0, 0]


def test_a_result_that_is_no_input_stops() -> None:
    with pytest.raises(Stopped, match="another shape"):
        grown(lambda i: [i["x0"][:, :1]], wide, {"x0": np.ones((4, 3))}, 2, "x0", lambda: "float32")
    with pytest.raises(Stopped, match="2 results"):
        grown(lambda i: [i["x0"], i["x0"]], wide, {"x0": np.ones((4, 3))}, 2, "x0", lambda: "")
