"""A function of one number at every number of a format: what is wrong with it, and where."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.judge.balls import YES, enclose, unit_errors
from assay_worker.libraries import load
from assay_worker.precision.exhaustive import count, numbers, place_of, swept
from assay_worker.precision.functions import Unknown
from assay_worker.precision.requests import answer
from assay_worker.precision.summaries import added, nothing
from tests.worker.test_precision import case

Function = Callable[[np.ndarray], np.ndarray]


def _rounded(function: Function) -> Function:
    """The function, correctly rounded to float16."""

    def run(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return function(x).astype("float16").astype("float64")

    return run


def _with(function: Function, at: float, wrong: float) -> Function:
    """The same but at one number."""
    return lambda x: np.where(x == at, wrong, function(x))


def _all(run: Function, truth: Function = np.tanh, name: str = "float16") -> dict[str, Any]:
    return swept(run, truth, name, name, 0, count(name))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_numbers_ascend_and_none_is_left_out(name: str) -> None:
    every = numbers(name, 0, count(name))
    finite = every[~np.isnan(every)]
    assert (np.diff(finite) >= 0).all()
    assert len(np.unique(finite)) == len(finite) - 1  # zero has two signs
    assert np.isnan(every[[0, -1]]).all()
    parts = [numbers(name, *ends) for ends in ((0, 777), (777, 40000), (40000, count(name)))]
    np.testing.assert_array_equal(np.concatenate(parts), every)


@pytest.mark.parametrize("number", [0.0, 1.0, -1.0, 3e-39, np.inf, -np.inf, 3.4e38])
def test_places_of_float32_lead_to_numbers(number: float) -> None:
    place = place_of("float32", number)
    here = numbers("float32", place - 1, place + 2)
    assert here[1] == np.float32(number)
    if number == -np.inf:
        assert np.isnan(here[0])
    else:
        below = np.nextafter(np.float32(number), np.float32(-np.inf)) if number else -0.0
        assert here[0] == below


def test_a_correctly_rounded_function_has_nothing_against_it() -> None:
    found = _all(_rounded(np.tanh))
    assert found["measured"] == found["half"] == found["one"] == found["numbers"] == 63490
    assert 0.49 < found["units"] <= 0.5
    assert (found["lost"], found["defined"], found["turns"], found["flushed"]) == (0, 0, 0, 0)


def test_the_worst_number_is_told() -> None:
    wrong = np.float64(np.float16(np.tanh(0.5))) + 5 * 2.0**-12
    found = _all(_with(_rounded(np.tanh), 0.5, wrong))
    units, also, *place = found["largest"][0]
    assert place == [[0.5], wrong, float(np.tanh(0.5))]
    assert units == also == found["units"]
    # tanh(0.5) is between 1/4 and 1/2, where float16 has 2**12 numbers in 1.
    assert found["units"] == pytest.approx((wrong - np.tanh(0.5)) * 2**12)
    assert found["one"] == found["measured"] - 1


def test_lost_and_made_up_numbers_are_told() -> None:
    found = _all(_with(_with(_rounded(np.tanh), 2.0, np.nan), 3.0, np.inf))
    assert (found["lost"], found["lost_at"][0]) == (2, [2.0])
    found = _all(_with(_rounded(np.log), -2.0, 0.0), np.log)
    assert (found["defined"], found["defined_at"][0]) == (1, [-2.0])
    assert found["lost"] == 0


def test_turns_are_seen_where_the_function_is_monotone() -> None:
    step = float(np.spacing(np.float16(np.tanh(0.75))))
    up = _rounded(np.tanh)
    high = float(up(np.array([0.75]))[0]) + 3 * step
    found = _all(_with(up, 0.75, high))
    assert (found["turns"], found["turn_at"]) == (1, 0.75)
    # The cosine turns by itself: no rounding of it does anything else.
    assert _all(_rounded(np.cos), np.cos)["turns"] == 0


def test_flushed_answers_are_counted_apart() -> None:
    tiny = 2.0**-20
    found = _all(_with(_rounded(np.tanh), tiny, 0.0))
    assert found["flushed"] == 1
    assert found["one"] == found["measured"] == found["numbers"] - 1


def test_blocks_add_up_to_the_whole() -> None:
    run = _with(_with(_rounded(np.tanh), 0.75, 0.9), 2.0, np.nan)
    whole, parts = _all(run), nothing()
    ends = [0, 1, 500, 32767, 32800, place_of("float16", 0.75), 50000, count("float16")]
    for start, stop in itertools.pairwise(ends):
        parts = added(parts, swept(run, np.tanh, "float16", "float16", start, stop))
    assert repr(parts) == repr(dict.fromkeys(parts) | whole)  # NaN is among the answers
    assert whole["turns"] == 1


def test_numbers_of_which_nobody_says_what_is_right_are_left_out() -> None:
    def truth(x: np.ndarray) -> np.ndarray:
        if (np.abs(x) > 700.0).any() or (x == 3.0).any():
            raise Unknown("too large")
        return np.tanh(x)

    found = _all(_with(_rounded(np.tanh), 3.0, 99.0), truth)
    every = numbers("float16", 0, count("float16"))
    assert found["unknown"] == int((np.abs(every) > 700.0).sum()) + 1
    assert found["numbers"] == found["half"] == 63490 - found["unknown"]


@pytest.fixture(scope="module")
def torch() -> Any:
    return load("torch", "", "eager")


def _ask(adapter: Any, own: str, shared: str, dtype: str, start: int, stop: int) -> Any:
    return answer(
        adapter,
        {
            "step": "sweep",
            "case": case(own, [(3,)], dtype, {"dim": 0} if own.endswith("softmax") else {}),
            "shared": case(shared, [(3,)]),
            "inputs": ["x0"],
            "dtype": dtype,
            "computes": dtype,
            "start": start,
            "stop": stop,
        },
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_sweep_of_a_library_says_what_exact_results_say(torch: Any, dtype: str) -> None:
    stop = place_of(dtype, 1.0)
    start = stop - 4000
    told = _ask(torch, "torch.exp", "keras.ops.exp", dtype, start, stop)
    assert told["status"] == "ok", told
    x = numbers(dtype, start, stop)
    engine = torch.engine
    tensor = engine.tensor(x.astype("float32" if dtype == "bfloat16" else dtype))
    answers = engine.cast(tensor, dtype).exp().float().numpy()
    (found,) = enclose("keras.ops.exp", [x], format=dtype)
    errors = unit_errors(answers, found)
    # Float64 is exact to some 40 bits of a unit of these formats.
    assert told["units"] == pytest.approx(errors.upper.max(), abs=1e-6)
    assert told["measured"] == 4000
    assert abs(told["half"] - (errors.rounded == YES).sum()) <= 1
    assert told["one"] == (errors.upper <= 1.0).sum()


def test_what_is_no_function_of_one_number_is_refused(torch: Any) -> None:
    told = _ask(torch, "torch.softmax", "keras.ops.softmax", "float32", 0, 10)
    assert told["status"] == "lacking"
    assert "no function of each number by itself" in told["message"]
