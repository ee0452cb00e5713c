"""A call and its program by a rule: what differs, and which of the two is wrong."""

from typing import Any

import msgspec
import numpy as np
import pytest

from assay.ir import Array, Case, Explicit, Graph, Input, Node, Trace, Trial, Uniform
from assay.ir.trial import Arm
from assay.judge import HarnessError, Observed, oracle, oracles
from assay.judge.rewriting import apart, rewrites
from assay.judge.rewritten import judged_pair
from assay_worker import rewriting
from tests.judge.observations import died, raised, votes

RULE = "strided"
X = np.array([1.0, -2.0, 0.5, 3.0, -0.25], "float32")


def call(array: Array = X, op: str = "torch.tanh") -> Case:
    graph = Graph(
        (Input("x", array.shape, array.dtype.name),),
        (Node("call", op, (), {}, {"0": {"$tensor": "x"}}),),
        ("call",),
    )
    return Case(graph, {"x": Explicit(array)}, stage="forward")


def answers(first: Any, second: Any, case: Case | None = None, rule: str = RULE) -> Observed:
    """What the plain call and the rule's program gave: an array, or a trace that has none."""
    trial = Trial(0, "rewrite", (case or call(),), (Arm("torch"),)).by_rule(rule)
    plain, rewritten = (arm.name for arm in trial.arms)
    traces = {}
    for name, given in ((plain, first), (rewritten, second)):
        if isinstance(given, Trace):
            traces[name] = given
        else:
            traces[name] = Trace(name, "ok", {"output:call": np.asarray(given)})
    return Observed(trial, traces, votes)


def judge(observed: Observed) -> Any:
    return oracle("rewrite").judge(observed)


RIGHT = np.tanh(X)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (RIGHT + np.float32(0.01), "strided: another result"),
        (RIGHT[:4], "strided: another shape"),
        (RIGHT.astype("int32"), "strided: another dtype"),
        (np.where(X == 3.0, np.nan, RIGHT).astype("float32"), "strided: NaN or infinity"),
        (raised("torch", "call"), "strided: ValueError: incompatible shapes"),
    ],
)
def test_what_differs_is_told(second: Any, message: str) -> None:
    (verdict,) = judge(answers(RIGHT, second))
    assert (verdict.kind, verdict.blamed) == ("equivalence", ("torch",))
    assert verdict.evidence.message == message
    assert "contiguous ≡ strided" in verdict.evidence.reason


def test_a_program_that_kills_the_process_is_a_crash() -> None:
    (verdict,) = judge(answers(RIGHT, died("torch", node="call")))
    assert verdict.kind == "crash"


def test_rounding_is_not_looked_at_and_whole_numbers_are_exact() -> None:
    assert not judge(answers(RIGHT, np.nextafter(RIGHT, np.float32(2))))
    whole = np.arange(5)
    assert not judge(answers(whole, whole))
    (verdict,) = judge(answers(whole, whole + (whole == 4)))
    assert verdict.evidence.position == (4,)


def test_double_precision_is_held_to_its_own_digits() -> None:
    wide, case = RIGHT.astype("float64"), call(X.astype("float64"))
    assert not judge(answers(wide, wide * (1 + 1e-15), case))
    assert judge(answers(wide, wide * (1 + 1e-9), case))


def test_half_precision_is_held_to_its_own_digits() -> None:
    half = RIGHT.astype("float16")
    assert not judge(answers(half, np.nextafter(half, np.float16(2))))
    assert judge(answers(half, half + np.float16(0.2)))


def test_results_of_bfloat16_are_as_coarse_as_it() -> None:
    case = call()
    (x,) = case.graph.inputs
    graph = msgspec.structs.replace(
        case.graph, inputs=(msgspec.structs.replace(x, dtype="bfloat16"),)
    )
    case = msgspec.structs.replace(case, graph=graph)
    # As NumPy holds it: in float32.
    assert not judge(answers(RIGHT, RIGHT * np.float32(1 + 2**-7), case))
    assert judge(answers(RIGHT, RIGHT * np.float32(1.5), case))


def test_complex_numbers_are_compared_in_both_parts() -> None:
    number = np.array([1 + 1j, 2 - 3j], "complex64")
    assert not judge(answers(number, number))
    (verdict,) = judge(answers(number, number.conj()))
    assert verdict.evidence.position == (1,)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize("share", [0.0, 1e-12, 1e-5, 0.9e-3, 1.2e-3, 0.02, 0.04])
def test_a_worker_ends_a_sweep_at_what_the_host_looks_at_and_at_nothing_else(
    dtype: str, share: float
) -> None:
    first = (RIGHT * 100).astype(dtype)
    second = (RIGHT.astype("float64") * 100 * (1 + share)).astype(dtype)
    seen = apart(first, second) is not None
    assert rewriting._apart(first, second, None) == seen


def test_nothing_that_corresponds_is_a_fault_of_ours() -> None:
    other = Trace("torch#rewrite:strided", "ok", {"output:else": RIGHT})
    with pytest.raises(HarnessError, match="nothing corresponds"):
        judge(answers(RIGHT, other))


class Library:
    """Answers for any case of the trial: what ``observe`` does, with functions of NumPy."""

    def __init__(self, plain: Any, rewritten: Any, rule: str = RULE) -> None:
        self.programs = (plain, rewritten)
        self.rule = rule

    def observe(self, trial: Trial) -> Observed:
        (array,) = trial.case.input_arrays().values()
        with np.errstate(all="ignore"):
            first, second = (function(array) for function in self.programs)
        return answers(first, second, trial.case, self.rule)


def category(plain: Any, rewritten: Any, case: Case, rule: str = RULE) -> tuple[str, str]:
    library = Library(plain, rewritten, rule)
    observed = library.observe(answers(X, X, case, rule).trial)
    (verdict,) = judge(observed)
    found = judged_pair(observed, verdict, library.observe)
    return found.category, found.reason


def wrong(array: Array) -> Array:
    return np.asarray(np.tanh(array) + (array > 2.5) * array.dtype.type(0.1))


def test_the_program_that_a_wider_format_contradicts_is_named() -> None:
    case = call()

    def wide_is_right(array: Array) -> Array:
        return wrong(array) if array.dtype == np.float32 else np.asarray(np.tanh(array))

    assert category(np.tanh, wide_is_right, case)[0] == "bug"
    assert category(np.tanh, wide_is_right, case)[1].endswith("so that the other program is wrong")
    assert category(wide_is_right, np.tanh, case)[1].endswith("so that the plain call is wrong")


def test_a_difference_that_one_ulp_of_input_makes_too_is_rounding() -> None:
    def step(array: Array) -> Array:
        return np.asarray(np.sin(array * array.dtype.type(1e7)))

    def shifted(array: Array) -> Array:
        return np.asarray(np.sin(np.nextafter(array, array.dtype.type(9)) * array.dtype.type(1e7)))

    assert category(step, shifted, call(op="torch.nothing"))[0] == "rounding"


def test_nan_of_ordinary_numbers_is_a_bug() -> None:
    def spoilt(array: Array) -> Array:
        return np.where(array == 3.0, np.nan, np.tanh(array)).astype(array.dtype)

    assert category(np.tanh, spoilt, call(op="torch.nothing"))[0] == "bug"


def test_how_infinities_spread_is_a_bug_only_where_somebody_defines_it() -> None:
    infinite = np.array([1.0, np.inf, 2.0, 4.0, 5.0], "float32")

    def zeroed(array: Array) -> Array:
        return np.where(np.isinf(array), 0, np.tanh(array)).astype(array.dtype)

    named, nameless = call(infinite, "torch.tanh"), call(infinite, "torch.nothing")
    told, reason = category(np.tanh, zeroed, named)
    assert told == "bug"
    assert reason.endswith("NumPy gives 1, so that the other program is wrong")
    assert category(np.tanh, zeroed, nameless)[0] == "convention"


def test_what_only_huge_numbers_show_is_rounding() -> None:
    graph = call().graph
    case = Case(graph, {"x": Uniform(3, 1e30, 3e38)}, stage="forward")

    def squared(array: Array) -> Array:
        return np.asarray(np.sqrt(array * array))

    assert category(np.abs, squared, case)[0] == "rounding"


def test_an_overflow_right_before_the_end_of_the_range_is_rounding() -> None:
    """PyTorch documents it of sinh, whose vectorised kernel computes exp on the way."""

    def early(limit: float) -> Any:
        return lambda array: np.where(array > limit, np.inf, np.sinh(array)).astype(array.dtype)

    late, soon = (np.array([1.0, end, 2.0], "float32") for end in (89.0, 60.0))
    assert category(np.sinh, early(88.7), call(late, "torch.sinh")) == (
        "rounding",
        "one is infinite, the other so large that terms of it do not fit the format",
    )
    assert category(np.sinh, early(50.0), call(soon, "torch.sinh"))[0] == "bug"


def test_a_published_tolerance_takes_the_place_of_what_rounding_explains() -> None:
    fixed = next(item for item in oracles("", (1e-2, 1e-5)) if rewrites(item.name))
    second = RIGHT + np.float32(0.009)
    assert judge(answers(RIGHT, second))
    assert not fixed.judge(answers(RIGHT, second))
    (verdict,) = fixed.judge(answers(RIGHT, RIGHT + np.float32(0.02)))
    assert verdict.evidence.tolerance == pytest.approx(0.01, rel=0.01)
    # Whoever replays it finds the tolerance in the name.
    again = oracle(verdict.oracle)
    assert again.judge(answers(RIGHT, RIGHT + np.float32(0.02)))
    assert not again.judge(answers(RIGHT, second))


def test_a_published_tolerance_is_of_the_second_number_and_of_numbers_of_any_kind() -> None:
    fixed = oracle("rewrite:0.01,1e-05")
    large = np.array([1e9, 5.0, -1e9], "float64")
    assert not fixed.judge(answers(large, large * (1 + 9e-6)))
    assert fixed.judge(answers(large, large * (1 + 2e-5)))
    assert not fixed.judge(answers(np.arange(5), np.arange(5.0)))
    (verdict,) = fixed.judge(answers(np.arange(5), np.arange(5) + (np.arange(5) == 4)))
    assert verdict.evidence.position == (4,)
    unknown = np.array([np.nan, np.inf, 1.0])
    assert not fixed.judge(answers(unknown, unknown))
    (verdict,) = fixed.judge(answers(unknown, -unknown))
    assert verdict.evidence.message == "strided: NaN or infinity"


def test_whole_numbers_that_the_result_cannot_hold_are_rounding() -> None:
    def narrow(array: Array) -> Array:
        return np.asarray(np.sin(array.astype("float32")))

    def wide(array: Array) -> Array:
        return np.asarray(np.sin(array.astype("float64")).astype("float32"))

    far = call(np.array([2**31 - 1, -(2**30) - 1, 7], "int32"), "torch.nothing")
    assert category(narrow, wide, far)[0] == "rounding"

    def wrong_at_seven(array: Array) -> Array:
        return np.asarray(narrow(array) + (array == 7) * np.float32(0.5))

    assert category(narrow, wrong_at_seven, far)[0] == "bug"


def test_a_complex_number_beyond_the_format_is_nobodys() -> None:
    large = np.array([3 + 4j, 5 - 2j] * 60, "complex64")

    def otherwise(array: Array) -> Array:
        product = np.cumprod(array)
        return np.where(np.isfinite(product), product, complex(np.inf, 7)).astype(array.dtype)

    def spoilt(array: Array) -> Array:
        return np.where(np.arange(array.size) == 2, np.nan, np.cumprod(array)).astype(array.dtype)

    case = call(large, "torch.nothing")
    assert category(np.cumprod, otherwise, case)[0] == "rounding"
    assert category(np.cumprod, spoilt, case)[0] == "bug"


def test_infinities_of_complex_numbers_spread_as_nobody_defines() -> None:
    infinite = np.array([1 + 2j, complex(np.inf, 0), 3 - 1j], "complex64")

    def zeroed(array: Array) -> Array:
        return np.where(np.isinf(array), 0, array).astype(array.dtype)

    assert category(lambda array: array, zeroed, call(infinite, "torch.nothing"))[0] == "convention"


def test_another_formula_is_no_rounding_however_far_one_ulp_of_input_moves_it() -> None:
    """A derivative by a wrong formula, beside one that is hard to compute in single precision."""

    def steep(array: Array) -> Array:
        return np.asarray(np.sin(array * array.dtype.type(1e6)))

    def other(array: Array) -> Array:
        return np.asarray(steep(array) + array.dtype.type(0.01))

    case = call(op="torch.nothing")
    assert category(steep, other, case)[0] == "rounding"
    told, reason = category(steep, other, case, "modes")
    assert told == "bug"
    assert reason.endswith("they differ in a wider format, too")
    single = {np.dtype("float32"): other}
    assert (
        category(steep, lambda array: single.get(array.dtype, steep)(array), case, "modes")[0]
        == "rounding"
    )
