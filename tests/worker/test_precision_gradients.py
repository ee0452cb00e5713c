"""Gradients of many inputs of one call on real libraries."""

from typing import Any

import numpy as np
import pytest

from assay_worker.libraries import load
from assay_worker.precision.requests import answer

NORMAL = np.random.default_rng(2).standard_normal((40, 3, 4))


def case(op: str, dtype: str, params: dict[str, Any]) -> Any:
    inputs = [{"name": "x0", "shape": [3, 4], "dtype": dtype}]
    node = {"id": "n0", "op": op, "inputs": ["x0"], "params": params, "arguments": {}}
    return {
        "graph": {"inputs": inputs, "nodes": [node], "outputs": ["n0"]},
        "inputs": {"x0": {"kind": "uniform", "seed": 1, "low": 0.0, "high": 1.0}},
        "weights": {"kind": "uniform", "seed": 0, "low": -0.5, "high": 0.5},
        "explicit_weights": {},
        "loss": None,
        "training": False,
        "stage": "forward",
    }


def ask(library: str, op: str, shared: str, dtype: str = "float32", **params: Any) -> Any:
    return answer(
        load(library, "torch" if library == "keras" else "", "eager"),
        {
            "step": "gradients",
            "case": case(op, dtype, params),
            "shared": case(shared, "float32", params),
            "inputs": {"x0": NORMAL},
            "dtype": dtype,
            "computes": dtype,
            "wide": None,
            "wider": "",
        },
    )


def test_gradients_are_those_of_a_loop_by_hand() -> None:
    import torch

    told = ask("torch", "torch.tanh", "keras.ops.tanh")
    assert told["status"] == "ok"
    assert told["formats"] == ["float32"]
    x = torch.tensor(NORMAL.astype("float32"), requires_grad=True)
    torch.tanh(x).sum().backward()
    (found,) = told["gradients"]
    assert found.shape == (40, 12)
    assert np.array_equal(found, x.grad.numpy().reshape(40, 12).astype("float64"))


@pytest.mark.parametrize("params", [{"dim": -1}, {"dim": 0}])
def test_upstream_gradients_are_the_same_for_each_input(params: Any) -> None:
    import torch

    shares = np.arange(1.0, 13.0)
    told = answer(
        load("torch", "", "eager"),
        {
            "step": "gradients",
            "case": case("torch.softmax", "float32", params),
            "shared": case("keras.ops.softmax", "float32", {"axis": params["dim"]}),
            "inputs": {"x0": NORMAL},
            "dtype": "float32",
            "computes": "float32",
            "wide": None,
            "wider": "",
            "upstream": [shares.tolist()],
        },
    )
    (found,) = told["gradients"]
    for row in range(len(NORMAL)):
        x = torch.tensor(NORMAL[row].astype("float32"), requires_grad=True)
        weights = torch.tensor(shares.reshape(3, 4).astype("float32"))
        (torch.softmax(x, **params) * weights).sum().backward()
        assert np.allclose(found[row], x.grad.numpy().reshape(-1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_gradients_have_the_format_that_is_computed_in(dtype: str) -> None:
    told = ask("torch", "torch.sigmoid", "keras.ops.sigmoid", dtype)
    assert told["formats"] == [dtype]
    (found,) = told["gradients"]
    near = NORMAL.reshape(40, 12)
    slopes = np.exp(-near) / (1.0 + np.exp(-near)) ** 2
    assert np.allclose(found, slopes, rtol=0.1)


def test_whoever_has_no_gradients_is_lacking() -> None:
    told = ask("onnx", "onnx.Tanh", "keras.ops.tanh")
    assert told["status"] == "lacking"
    assert told["message"] == "has no gradients"
