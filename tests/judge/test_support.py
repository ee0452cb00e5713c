"""What speaks for the reference when every implementation contradicts it."""

import fnmatch
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from assay.ir import Arm, Array, Case, Explicit, Graph, Input, Node, Trace, Trial, named
from assay.judge import NumericOracle, Observed, support
from assay.judge.support import documented
from assay.ops import specs
from tests.judge.observations import votes

TARGETS = ("keras-tensorflow", "keras-torch")
X = np.arange(24, dtype="float32").reshape(2, 3, 4) + 1
#: How an implementation computes an array for the parameters of its node.
Compute = Callable[[Array, dict[str, Any]], Array]


def shares(x: Array, params: dict[str, Any]) -> Array:
    """What is right: each element's share of the sum along an axis."""
    return np.asarray(x / x.sum(axis=params.get("axis", -1), keepdims=True))


def shares_by_last_size(x: Array, params: dict[str, Any]) -> Array:
    """Wrong where the axis is not the last, as a forgotten axis makes it."""
    axis = params.get("axis", -1)
    return np.asarray(shares(x, params) * x.shape[axis] / x.shape[-1])


def first_sample_only(x: Array, params: dict[str, Any]) -> Array:
    """Wrong from the second sample of a batch on."""
    return np.asarray(np.where(np.arange(len(x))[:, None, None] == 0, shares(x, params), 0))


def supported(
    op: str, params: dict[str, Any], wrong: Compute, x: Array = X, right: Compute = shares
) -> Any:
    """``support`` for two implementations that are wrong in the same way."""
    inputs = (Input("x", x.shape, x.dtype.name),)
    graph = Graph(inputs, (Node("n0", op, ("x",), params),), ("n0",))
    case = Case(graph, {"x": Explicit(x)})

    def answer(asked: Case, target: str) -> Trace:
        (node,) = asked.graph.nodes
        compute = right if target == "reference" else wrong
        return Trace(target, "ok", {"output:n0": compute(asked.input_arrays()["x"], node.params)})

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        return [answer(asked, target) for asked in cases]

    arms = (*TARGETS, "reference")
    trial = Trial(0, "test", (case,), tuple(map(Arm, arms)))
    traces = {target: answer(case, target) for target in arms}
    observed = Observed(trial, traces, votes, {name: named(name) for name in arms})
    (verdict,) = NumericOracle().judge(observed)
    assert verdict.evidence.reference_alone
    assert (verdict.category, verdict.blamed) == ("convention", ())
    return support(observed, verdict, run)


def test_an_answer_that_changes_when_the_axis_is_moved_to_the_end_supports_it() -> None:
    found = supported("keras.ops.softmax", {"axis": 1}, shares_by_last_size)
    assert found.blamed == TARGETS
    assert "axis 1 moved to the end" in found.reason


def test_a_sample_that_changes_with_its_batch_supports_it() -> None:
    found = supported("keras.layers.Softmax", {}, first_sample_only)
    assert found.blamed == TARGETS
    assert "sample 1 alone" in found.reason


def test_a_function_may_mix_the_samples_of_a_batch() -> None:
    assert supported("keras.ops.softmax", {}, first_sample_only) is None


def test_implementations_that_are_sure_of_themselves_are_believed() -> None:
    for params in ({}, {"axis": 1}):
        assert supported("keras.layers.Softmax", params, lambda x, p: shares(x, p) * 2) is None


def test_the_documentation_supports_it_where_it_defines_the_result() -> None:
    wrong: Compute = lambda x, params: shares(x, params) * 2  # noqa: E731
    found = supported("keras.losses.Tversky", {"alpha": 0.9}, wrong)
    assert found.blamed == TARGETS
    assert "false positives" in found.reason
    assert supported("keras.losses.Tversky", {}, wrong) is None


def test_a_formula_says_nothing_of_inputs_that_are_not_finite() -> None:
    x = X.copy()
    x[0, 0, 0] = np.inf
    with np.errstate(invalid="ignore"):
        wrong: Compute = lambda x, params: np.zeros_like(x)  # noqa: E731
        assert supported("keras.losses.Tversky", {"alpha": 0.9}, wrong, x) is None


def test_infinity_of_whole_numbers_is_no_overflow_either() -> None:
    ids = np.zeros((2, 3), "int32")
    least: Compute = lambda x, params: np.full(3, -np.inf)  # noqa: E731
    found = supported("keras.ops.multi_hot", {}, least, ids, lambda x, params: np.zeros(3))
    assert found.blamed == TARGETS


def test_infinity_of_nothing_is_no_overflow() -> None:
    nothing = np.zeros((2, 0, 4), "float32")
    least: Compute = lambda x, params: np.full(4, -np.inf)  # noqa: E731
    found = supported("keras.ops.sum", {}, least, nothing, lambda x, params: x.sum(axis=(0, 1)))
    assert found.blamed == TARGETS
    undefined: Compute = lambda x, params: np.full(4, np.inf)  # noqa: E731
    assert supported("keras.ops.max", {}, least, nothing, undefined) is None
    assert supported("keras.ops.sum", {}, least, X, lambda x, params: x.sum(axis=(0, 1))) is None


@pytest.mark.parametrize("entry", documented(), ids=lambda entry: entry.id)
def test_every_entry_is_about_ops_and_parameters_that_exist(entry: Any) -> None:
    assert len(entry.reason.split()) >= 4
    assert entry.link.startswith("https://")
    for pattern in entry.op:
        covered = [spec for name, spec in specs().items() if fnmatch.fnmatchcase(name, pattern)]
        assert covered
        names = {item.name for spec in covered for item in spec.parameters}
        assert set(entry.params) <= names


def test_documentation_speaks_only_of_the_values_its_entry_names() -> None:
    (entry,) = [item for item in documented() if item.id == "discretization-of-samples"]
    modes = {
        mode: entry.speaks_of(Node("n0", "keras.layers.Discretization", ("x",), params))
        for mode, params in (
            ("default", {}),
            ("int", {"output_mode": "int"}),
            ("multi_hot", {"output_mode": "multi_hot"}),
        )
    }
    assert modes == {"default": False, "int": False, "multi_hot": True}
