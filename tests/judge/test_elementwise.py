"""Results that hang on one element alone."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Explicit, Graph, Input, Node, Trace
from assay.judge.elementwise import of_one_element
from tests.judge.observations import observed

Function = Callable[[Array], Array]


def alone(function: Function, *more: str) -> bool:
    array = np.array([3.0, -1.0, 0.5], "float32")
    names = ("x", *more)
    inputs = tuple(Input(name, array.shape) for name in names)
    graph = Graph(inputs, (Node("n", "keras.ops.abs", names),), ("n",))
    case = Case(graph, {name: Explicit(array) for name in names})

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        return [
            Trace(target, "ok", {"output:n": function(item.input_arrays()["x"])}) for item in cases
        ]

    traces = [Trace(name, "ok", {}) for name in ("keras-torch", REFERENCE)]
    return of_one_element(observed(*traces, case=case), "gradient:input:x", (1,), run)


def test_an_activation_is_computed_element_by_element() -> None:
    assert alone(np.tanh)


@pytest.mark.parametrize("function", [np.cumsum, lambda x: x / x.sum(), lambda x: np.ones(3)])
def test_sums_mix_elements(function: Function) -> None:
    assert not alone(function)


def test_several_inputs_may_cancel_each_other() -> None:
    assert not alone(np.tanh, "y")
