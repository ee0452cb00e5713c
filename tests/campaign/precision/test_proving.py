"""Ball arithmetic has the last word on a worst input."""

import math
import subprocess
import sys
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.precision.job import Job
from assay.campaign.precision.presets import Operator
from assay.campaign.precision.proving import ProofFault, proved
from assay.campaign.precision.suspects import suspicious
from assay.config import Config
from assay.ir.precision import Measurement, Worst
from assay.libraries import everything
from assay.sources.precision import Wishes, drawn
from assay.targets import known_targets


def job_of(op: str, dtype: str) -> Job:
    target = known_targets(Config())["torch"]
    return Job(Operator(op, op, Wishes()), target, dtype, "operator", "mixture")


def believed(op: str, x: float, answer: float, truth: float, dtype: str, **facts: Any) -> Worst:
    """An answer at a number, as a reference that says ``truth`` would have it, and the proof."""
    job = job_of(op, dtype)
    call = drawn(everything()[op], Wishes(), 0)
    (name,) = (item.name for item in call.tensors)
    near = {name: np.full(call.tensors[0].shape, x)}
    ulp = facts.pop("ulp", 1e9)
    worst = Worst(0, 0, answer, truth, ulp, {name: x}, condition=0.0, ball=0.0)
    return proved(job, call, near, worst, [True], dtype)


def row_of(op: str, dtype: str, worst: Worst) -> Measurement:
    return Measurement(
        op=op,
        target="torch",
        dtype=dtype,
        mode="operator",
        strategy="mixture",
        inputs=1,
        max_ulp=worst.ulp,
        max_abs=0.0,
        max_rel=0.0,
        at=worst,
        condition=None,
        cpu_seconds=0.0,
        excess_ulp=worst.ulp,
        excess_at=worst,
        formats=(dtype,),
    )


def test_a_reference_that_cancels_makes_no_suspect_of_a_right_answer() -> None:
    op, x = "keras.ops.gelu", float(np.float32(-7.344866))
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
    right = float(np.float32(x / (1.0 + math.exp(-2.0 * inner))))
    cancelled = 0.5 * x * (1.0 + math.tanh(inner))
    assert abs(cancelled - right) > 0.1 * abs(right), "the naive formula loses it in float64"
    worst = believed(op, x, right, cancelled, "float32")
    assert worst.proven is not None
    assert worst.proven < 1.0
    assert not suspicious(row_of(op, "float32", worst))
    assert suspicious(row_of(op, "float32", msgspec.structs.replace(worst, proven=None)))


def test_an_answer_that_cancels_is_a_suspect_though_the_reference_does_as_well() -> None:
    op, x = "keras.ops.tanh_shrink", float(np.float32(1e-4))
    worst = believed(op, x, 0.0, 0.0, "float32", ulp=0.0)
    assert worst.proven is not None
    assert worst.proven > 1e6
    assert worst.condition == pytest.approx(3.0, rel=1e-6), "x - tanh(x) is about x ** 3 / 3"
    assert worst.truth == pytest.approx(x**3 / 3.0, rel=1e-6)
    assert suspicious(row_of(op, "float32", worst))


def test_a_parameter_that_the_operator_rounds_is_not_its_error() -> None:
    x = -1.0
    answer = float(np.float16(np.float16(0.2) * np.float16(x)))
    worst = believed("keras.ops.leaky_relu", x, answer, answer, "float16", ulp=0.0)
    assert worst.proven == 0.0
    exact = abs(answer + 0.2) / 2.0**-13
    assert exact > 0.1, "the number 0.2 would be"


def test_an_op_without_a_formula_keeps_the_reference() -> None:
    from assay.judge.balls import formulas

    op = "keras.constraints.UnitNorm"
    assert op not in formulas()
    assert believed(op, 0.5, 0.5, 0.5, "float32", ulp=3.0).proven is None


def test_a_float64_operator_that_computes_in_float32_is_a_suspect_by_proof_only() -> None:
    op, x = "keras.ops.exp", -8.000000476837167
    worst = believed(op, x, float(np.float32(math.exp(x))), math.exp(x), "float64")
    assert worst.proven is not None
    assert worst.proven > 2.0**20
    assert suspicious(row_of(op, "float64", worst))
    assert not suspicious(row_of(op, "float64", msgspec.structs.replace(worst, proven=None)))
    right = believed(op, x, math.exp(x), math.exp(x), "float64")
    assert right.proven is not None
    assert right.proven < 1.0
    assert not suspicious(row_of(op, "float64", right))


def test_no_other_command_imports_flint() -> None:
    line = "import sys, assay.cli.main; assert 'flint' not in sys.modules"
    more = "import assay.campaign.precision.running; assert 'flint' not in sys.modules"
    subprocess.run([sys.executable, "-c", f"{line}\n{more}"], check=True)


def test_a_formula_that_fails_is_a_fault_of_ours_and_not_a_missing_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*values: Any) -> Any:
        raise ValueError("an array of another shape")

    monkeypatch.setattr("assay.judge.balls.answers.enclose_case", broken)
    with pytest.raises(ProofFault, match=r"keras\.ops\.exp failed: ValueError: an array"):
        believed("keras.ops.exp", 0.5, 1.6, 1.6, "float32")


def test_what_is_left_of_a_tail_is_granted_by_the_input() -> None:
    op, x = "keras.ops.gelu", -8.5
    exact = 0.5 * x * math.erfc(-math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))
    worst = believed(op, x, -4.7e-16, exact, "float64")
    assert worst.proven is not None
    assert worst.proven > 1e6
    assert abs(worst.answer - worst.truth) < 1e-15
    assert not suspicious(row_of(op, "float64", worst))
    wrong = believed(op, x, -4.7e-12, exact, "float64")
    assert suspicious(row_of(op, "float64", wrong)), "more than the sum beside one is rounded by"
