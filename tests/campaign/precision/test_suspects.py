"""Budgets of proven errors: what families grant, what inputs explain, what others reach."""

from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.precision.job import Job
from assay.campaign.precision.presets import Operator
from assay.campaign.precision.suspects import (
    Measured,
    Suspect,
    budget_of,
    judged_by_proof,
    learned_from,
    size_class,
    suspect_of,
    suspicious,
)
from assay.config import Config
from assay.ir.precision import Measurement, Worst
from assay.judge.allowance import family_of
from assay.libraries import everything
from assay.sources.precision import Wishes, drawn
from assay.targets import known_targets

OP = "keras.ops.tanh"
FLOOR = family_of(OP).proven


def job_of(target: str, op: str = OP) -> Job:
    known = known_targets(Config())[target]
    return Job(Operator(op, op, Wishes()), known, "float32", "operator", "mixture")


def worst_of(proven: float, **facts: Any) -> Worst:
    usual: dict[str, Any] = {"inputs": {"x0": 0.8}, "condition": 1.0, "ball": 0.5}
    given = {**usual, **facts}
    return Worst(0, 0, given.pop("answer", 0.66), 0.664, proven, proven=proven, **given)


def measured_of(own: float = 0.0, at: float = 0.664, worst: Worst | None = None) -> Measured:
    row = Measurement(
        op=OP,
        target="",
        dtype="float32",
        mode="operator",
        strategy="mixture",
        inputs=1,
        max_ulp=0.0,
        max_abs=0.0,
        max_rel=0.0,
        at=None,
        condition=None,
        cpu_seconds=0.0,
        excess_ulp=own,
        excess_at=worst,
        formats=("float32",),
    )
    return Measured(row, (), {float(size_class(at)): own} if own else {})


def suspect(proven: float, large: bool = False, **facts: Any) -> Suspect:
    call = drawn(everything()[OP], Wishes(), 0)
    near = {call.tensors[0].name: np.full(call.tensors[0].shape, 0.8)}
    return suspect_of(job_of("torch"), call, near, worst_of(proven, **facts), "float32", large)


def test_a_budget_is_that_of_the_family_and_what_a_unit_of_the_input_does() -> None:
    assert FLOOR is not None
    assert budget_of(family_of(OP), worst_of(9.0), "float32", 0.0) == FLOOR + 1.0
    assert budget_of(family_of(OP), worst_of(9.0, ball=100.0), "float32", 0.0) == FLOOR + 200.0
    assert budget_of(family_of("keras.ops.inv"), worst_of(9.0), "float32", 0.0) is None


@pytest.mark.parametrize(("proven", "beyond"), [(7.5, True), (6.5, False)])
def test_only_what_is_beyond_it_is_a_suspect(proven: float, beyond: bool) -> None:
    row = measured_of(proven, worst=worst_of(proven)).measurement
    assert suspicious(row) is beyond
    assert (judged_by_proof(suspect(proven), 0.0) is not None) is beyond


def test_what_every_other_implementation_reaches_as_well_is_no_fault() -> None:
    item = suspect(12.0)
    mine = (job_of("torch"), measured_of(12.0))
    jax, tensorflow = job_of("jax"), job_of("tensorflow")
    everybody = [mine, (jax, measured_of(10.0, -0.7)), (tensorflow, measured_of(30.0))]
    assert learned_from(item, everybody) == 10.0, "the best of them, of either sign"
    assert judged_by_proof(item, 10.0) is None
    one = [mine, (jax, measured_of()), (tensorflow, measured_of(30.0))]
    assert learned_from(item, one) == 0.0
    elsewhere = [mine, (jax, measured_of(10.0, 1e-9))]
    assert learned_from(item, elsewhere) == 0.0, "results of another size"
    told = judged_by_proof(item, 0.0)
    assert told is not None
    assert FLOOR is not None
    assert told.units == FLOOR + 1.0


def test_a_sum_is_held_to_what_the_others_reach_anywhere() -> None:
    item = suspect(9.0, inputs={"x0": [1.0, 2.0]})
    others = [(job_of("jax"), measured_of(3.0, 1e-9))]
    assert learned_from(item, others) == 3.0
    assert judged_by_proof(item, 3.0) is None
    assert judged_by_proof(item, 1.0) is not None


def test_an_overflow_has_no_size_and_is_left_to_votes() -> None:
    assert judged_by_proof(suspect(1e7, answer=np.inf), 0.0) is None
    told = judged_by_proof(suspect(1e7, large=True, answer=np.inf), 0.0)
    assert told is not None
    assert told.units is None


def test_nothing_is_far_off_where_the_function_is_zero() -> None:
    zero = msgspec.structs.replace(worst_of(1e30, answer=1e-9), truth=0.0)
    assert not suspicious(measured_of(1e30, worst=zero).measurement)
