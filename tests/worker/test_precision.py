"""The errors of many inputs of one call on a real library, beside the truth."""

from typing import Any

import numpy as np
import pytest

from assay_worker.libraries import load
from assay_worker.precision import populations
from assay_worker.precision.formats import rounded
from assay_worker.precision.measuring import errors
from assay_worker.precision.programs import TrueProgram
from assay_worker.precision.requests import answer


@pytest.fixture(scope="module")
def torch() -> Any:
    return load("torch", "", "eager")


def case(
    op: str,
    shapes: list[tuple[int, ...]],
    dtype: str = "float32",
    params: dict[str, Any] | None = None,
) -> Any:
    inputs = [
        {"name": f"x{place}", "shape": list(shape), "dtype": dtype}
        for place, shape in enumerate(shapes)
    ]
    node = {
        "id": "n0",
        "op": op,
        "inputs": [item["name"] for item in inputs],
        "params": params or {},
        "arguments": {},
    }
    return {
        "graph": {"inputs": inputs, "nodes": [node], "outputs": ["n0"]},
        "inputs": {
            item["name"]: {"kind": "uniform", "seed": 1, "low": 0.0, "high": 1.0} for item in inputs
        },
        "weights": {"kind": "uniform", "seed": 0, "low": -0.5, "high": 0.5},
        "explicit_weights": {},
        "loss": None,
        "training": False,
        "stage": "forward",
    }


def ask(
    adapter: Any,
    own: str,
    shared: str,
    inputs: list[np.ndarray],
    dtype: str = "float32",
    computes: str = "",
    **facts: Any,
) -> Any:
    shapes = [array.shape[1:] for array in inputs]
    computes = computes or dtype
    params, told = facts.pop("params", {}), facts.pop("shared_params", {})
    return answer(
        adapter,
        {
            "step": "measure",
            "case": case(own, shapes, computes, params),
            "shared": case(shared, shapes, params=told),
            "inputs": {f"x{place}": array for place, array in enumerate(inputs)},
            "dtype": dtype,
            "computes": computes,
            "wide": None,
            "wider": "",
            **facts,
        },
    )


NORMAL = np.random.default_rng(1).standard_normal((500, 3, 4))


def test_errors_are_those_of_a_loop_by_hand(torch: Any) -> None:
    import torch as library

    told = ask(torch, "torch.sigmoid", "keras.ops.sigmoid", [NORMAL])
    near = NORMAL.astype("float32")
    true = 1.0 / (1.0 + np.exp(-near.astype("float64")))
    given = library.sigmoid(library.tensor(near.reshape(-1, 4))).numpy().reshape(500, -1)
    absolute = np.abs(given.astype("float64") - true.reshape(500, -1))
    assert told["status"] == "ok"
    assert told["way"] == "rows"
    assert np.allclose(told["linf"], absolute.max(axis=1), rtol=1e-6, atol=1e-16)
    assert np.allclose(told["mean"], absolute.mean(axis=1), rtol=1e-6, atol=1e-16)
    units = absolute / np.spacing(true.astype("float32").reshape(500, -1)).astype("float64")
    assert np.allclose(told["units"], units.max(axis=1), rtol=0.3)
    assert 1.0 < told["units"].max() < 3.0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_every_format_has_its_own_units(torch: Any, dtype: str) -> None:
    told = ask(torch, "torch.tanh", "keras.ops.tanh", [NORMAL], dtype)
    assert told["formats"] == [dtype]
    assert 0.3 < told["units"].max() <= 1.5


def test_what_is_not_searched_is_rounded_to_what_the_operator_computes_in(torch: Any) -> None:
    shapes = [(3, 4), (3, 4)]
    told = answer(
        torch,
        {
            "step": "measure",
            "case": case("torch.multiply", shapes),
            "shared": case("keras.ops.multiply", shapes),
            "inputs": {"x0": NORMAL},
            "dtype": "float16",
            "computes": "float32",
            "wide": None,
            "wider": "",
        },
    )
    assert told["units"].max() <= 0.5


def test_inputs_are_rounded_and_the_operator_is_not(torch: Any) -> None:
    told = ask(torch, "torch.square", "keras.ops.square", [NORMAL], "float16", "float32")
    assert told["formats"] == ["float32"]
    assert told["units"].max() <= 0.5
    apart = ask(torch, "torch.square", "keras.ops.square", [NORMAL], "float16")
    assert apart["linf"].max() > 1000 * told["linf"].max()


def test_the_published_measure_is_against_the_same_operator_on_the_inputs_as_they_came(
    torch: Any,
) -> None:
    wide = case("torch.relu", [(3, 4)], "float64")
    told = ask(
        torch,
        "torch.relu",
        "keras.ops.relu",
        [NORMAL],
        "float16",
        "float16",
        wide=wide,
        wider="float64",
    )
    expected = np.abs(np.maximum(rounded(NORMAL, "float16"), 0.0) - np.maximum(NORMAL, 0.0))
    assert np.array_equal(told["linf"], expected.reshape(500, -1).max(axis=1))
    true = ask(torch, "torch.relu", "keras.ops.relu", [NORMAL], "float16")
    assert true["linf"].max() == 0.0, "nothing is rounded once the input is"


def test_an_axis_that_counts_is_never_joined(torch: Any) -> None:
    first = ask(
        torch,
        "torch.softmax",
        "keras.ops.softmax",
        [NORMAL],
        params={"dim": 0},
        shared_params={"axis": 0},
    )
    last = ask(
        torch,
        "torch.softmax",
        "keras.ops.softmax",
        [NORMAL],
        params={"dim": -1},
        shared_params={"axis": -1},
    )
    assert (first["way"], last["way"]) == ("singly", "rows")
    assert max(first["units"].max(), last["units"].max()) < 50.0
    products = ask(torch, "torch.matmul", "keras.ops.matmul", [NORMAL[:, :3, :3]] * 2)
    assert products["way"] == "stack"


@pytest.mark.parametrize("way", [*populations.TOGETHER, populations.SINGLY])
def test_every_way_gives_the_same(way: str) -> None:
    program = TrueProgram(case("keras.ops.tanh", [(3, 4)]), ("x0",), "float32")
    found = populations.run_many(program, {"x0": NORMAL[:5]}, way)
    assert np.allclose(found[0], np.tanh(NORMAL[:5]).reshape(5, -1))


def test_what_the_input_explains_is_no_excess(torch: Any) -> None:
    near = np.nextafter(np.float32(1.0), np.float32(2.0)).astype("float64")
    cancelling = np.full((1, 5), near)
    told = ask(torch, "torch.log", "keras.ops.log", [cancelling])
    assert told["excess"].max() <= told["units"].max()
    request = {"step": "condition", "shared": case("keras.ops.log", [(5,)]), "dtype": "float32"}
    request.update(inputs={"x0": cancelling[0]}, place=2, measured=[True])
    found = answer(torch, request)
    assert found["condition"] == pytest.approx(2.0**23, rel=1e-3)


def test_the_condition_of_a_sum_that_cancels(torch: Any) -> None:
    request = {"step": "condition", "shared": case("keras.ops.sum", [(3,)]), "dtype": "float32"}
    request.update(inputs={"x0": np.array([1.0, 0.001, -1.0])}, place=0, measured=[True])
    found = answer(torch, request)
    assert found["condition"] == pytest.approx(2001.0, rel=1e-6)
    assert found["ball"] == pytest.approx(2.0**-23, rel=1e-3)


def test_special_and_flushed_answers_are_counted_and_not_measured() -> None:
    answers = np.array([[np.nan, np.inf, 0.0, np.inf, 1.0]])
    truths = np.array([[1.0, 1.0, 1e-40, 3.41e38, np.nan]])
    found = errors(answers, truths, "float32")
    assert found.special.tolist() == [[True, True, False, False, False]]
    assert found.flushed.tolist() == [[False, False, True, False, False]]
    assert found.units.tolist() == [[0.0, 0.0, 0.0, 0.0, 0.0]]


def test_overflow_a_little_early_is_a_few_units() -> None:
    greatest = float(np.finfo("float32").max)
    found = errors(np.array([[np.inf, np.inf]]), np.array([[greatest, 2.0 * greatest]]), "float32")
    assert found.units.tolist() == [[1.0, 0.0]]


def test_inputs_that_a_library_refuses_are_told_and_the_others_measured(torch: Any) -> None:
    matrices = np.array([[[2.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]])
    told = ask(torch, "torch.linalg.inv", "keras.ops.inv", [matrices])
    assert (told["ran"].tolist(), told["raised"]) == ([True, False], 1)
    assert "singular" in told["failure"]["message"]
    assert told["units"].tolist() == [0.0]


def test_where_the_reference_makes_no_claim_the_library_is_not_blamed(torch: Any) -> None:
    near = [[1.0, 1.0], [1.0, 1.0 + 2.0**-22]]  # invertible, and hardly
    matrices = np.array([[[2.0, 0.0], [0.0, 2.0]], near])
    told = ask(torch, "torch.linalg.inv", "keras.ops.inv", [matrices])
    assert (told["ran"].tolist(), told["raised"], told["failure"]) == ([True, False], 0, None)
    alone = ask(torch, "torch.linalg.inv", "keras.ops.inv", [matrices[1:]])
    assert alone["status"] == "unknown"


def test_what_gives_no_numbers_of_the_format_is_told(torch: Any) -> None:
    told = ask(
        torch,
        "torch.softmax",
        "keras.ops.softmax",
        [NORMAL],
        "float64",
        params={"dim": 1, "dtype": {"$dtype": "float32"}},
        shared_params={"axis": 1},
    )
    assert (told["status"], told["message"]) == ("lacking", "gives float32 for float64")
    none = ask(torch, "torch.argmax", "keras.ops.argmax", [NORMAL])
    assert (none["status"], none["message"]) == ("lacking", "gives no floats")
