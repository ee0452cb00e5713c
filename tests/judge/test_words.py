"""What the evidence says of each arm: gradients that are none, tuples, and who has no answer."""

import numpy as np

from assay.ir import Verdict
from assay.judge import NumericOracle
from tests.judge.observations import TARGETS, observed, ok, raised

TF, JAX, TORCH = TARGETS


def said(verdict: Verdict, target: str) -> tuple[str, float | None]:
    (item,) = [item for item in verdict.evidence.observations if item.target == target]
    return item.summary, item.value


def test_a_gradient_that_is_none_is_not_called_zero() -> None:
    zeros = np.zeros((1, 3), "float32")
    cut = {"gradient:input:x": zeros, "absent:gradient:input:x": np.zeros(0, "float32")}
    (verdict,) = NumericOracle().judge(observed(ok(TF), ok(JAX), ok(TORCH, cut)))
    assert verdict.blamed == (TORCH,)
    assert said(verdict, TORCH) == ("no gradient (None)", None)
    assert said(verdict, TF)[1] is not None


def test_a_tuple_of_arrays_is_told_from_a_stacked_one() -> None:
    parts = {"output:n3": np.zeros(2, "float32"), "output:n3:1": np.zeros(2, "float32")}
    (verdict,) = NumericOracle().judge(observed(ok(TF), ok(JAX), ok(TORCH, parts)))
    tuple_of = "a tuple of arrays, the first of shape [2]"
    assert verdict.evidence.message == f"{tuple_of} where others have one array of shape [1, 2]"
    assert said(verdict, TORCH) == (tuple_of, None)


def test_who_has_no_answer_is_named_with_the_reason() -> None:
    wrong = {"output:n1": [[1.0, 5.0, 0.5]]}
    seen = observed(ok(TF), ok(JAX), ok(TORCH, wrong), raised("keras-openvino", "n1"))
    (verdict,) = NumericOracle().judge(seen)
    assert said(verdict, "keras-openvino") == ("no answer: ValueError: incompatible shapes", None)
    assert verdict.targets == (TF, JAX, TORCH)
