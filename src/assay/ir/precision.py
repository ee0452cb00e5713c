"""What a search for the worst error of an operator found: pure data."""

from typing import Any, Literal

import msgspec

#: ``input``: inputs are rounded to the format, the operator computes in float32. ``operator``: it
#: computes in the format.
Mode = Literal["input", "operator"]
MODES: tuple[Mode, ...] = ("input", "operator")
#: ``gradient``: of the sum of the results, by each tensor that is searched; where results hang on
#: several numbers, each is multiplied by one of its own first.
Stage = Literal["forward", "gradient"]
STAGES: tuple[Stage, ...] = ("forward", "gradient")
#: What an answer is held against: the reference on the same rounded input, or (as published) the
#: same operator in a wider format on the input as it came.
Measure = Literal["truth", "instances"]
#: Who said what is right at ``excess_at``: the float64 reference, or ball arithmetic with proof.
Truth = Literal["balls", "reference"]


class Worst(msgspec.Struct, frozen=True):
    """Where an error is: the number of the input, and the place in all outputs in a row.

    ``inputs`` are the numbers at that place of each searched tensor of that size, else the whole
    tensors if they are small. ``condition`` says by how much rounding of the input is magnified
    there, by the reference; None where that is not known. ``ball`` is how far half a unit in the
    last place of all numbers of the input moves the result, in units of the result; ``terms`` is
    how many numbers it hangs on. ``proven`` is a lower bound of the error in units, by ball
    arithmetic; None where there is no formula.
    """

    index: int
    place: int
    answer: float
    truth: float
    ulp: float
    inputs: dict[str, Any]
    condition: float | None = None
    ball: float | None = None
    terms: int = 1
    proven: float | None = None


class Special(msgspec.Struct, frozen=True):
    """An answer that is no error of a size: the inputs, what came, and what is right."""

    inputs: tuple[float, ...]
    answer: float
    truth: float


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """What trying all ``total`` numbers of a format, or pairs of some, found beside errors.

    ``measured`` answers are numbers where the truth is one; of these so many are ``within`` half a
    unit in the last place, one and two. ``lost`` answers are NaN or infinite where the truth is a
    number, or the other way round; ``defined`` ones are numbers where there is none. ``turns`` are
    answers that go down where the function goes up around them, or the other way round. Of each
    the first is told. ``at_hex`` are the numbers of the largest error, exactly.
    """

    of: Literal["numbers", "pairs"]
    total: int
    measured: int
    within_half: int
    within_one: int
    within_two: int
    lost: int
    lost_at: Special | None
    defined: int
    defined_at: Special | None
    turns: int
    turn_at: float | None
    at_hex: tuple[str, ...] = ()


class Grown(msgspec.Struct, frozen=True):
    """The errors after so many executions, each on the result of the one before.

    ``max_abs`` and ``mean_abs`` are over all elements of all inputs, ``measured`` of them where
    both the truth and the answer are numbers.
    """

    executions: int
    max_abs: float
    mean_abs: float
    max_ulp: float
    measured: int


class Tolerance(msgspec.Struct, frozen=True):
    """What a library's own tests grant an op in a format, and who says so; or ``why`` nobody does.

    ``used`` is the share of it that the errors at the worst inputs take.
    """

    rtol: float = 0.0
    atol: float = 0.0
    source: str = ""
    why: str = ""
    used: float | None = None


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """The largest errors of one operator on one target, in one format, by one strategy.

    ``at`` and ``condition`` belong to ``max_ulp``. ``excess_ulp`` is the largest error that the
    rounding of the input does not explain, and ``excess_at`` where. ``max_mean`` is the largest
    mean of the absolute errors of one input's elements. ``groups`` are the largest absolute error
    of each group of inputs, ``group_means`` their largest means. ``quantiles`` of the errors of
    inputs (the largest of each, absolute): 0, 25, 50, 75, 99 and 100 percent. ``special`` counts
    answers that are NaN or infinite where the truth is a number, or the other way round;
    ``flushed`` zeros for numbers below the normal ones. Neither is measured. ``raised`` counts
    inputs on which the library raised, ``failure`` says what, or how the process ended. Of
    ``unknown`` ones the reference makes no claim. ``truth`` is "balls" where the error at
    ``excess_at`` is proven. ``doubts``: how many of its inputs are worth a closer look.
    ``whole`` is there if every number was tried: then it is the error at ``at`` that is proven,
    ``inputs`` are the numbers that count, and ``special`` are those lost. ``growth`` is how the
    error grows when the op is executed on its own result, on standard normal inputs;
    ``growth_stopped`` says why it cannot be. ``curve`` has numbers of the input and the largest
    error (that rounding of it does not explain) in a range about each, if that was asked for, and
    so is ``tolerance``. ``backward`` is the largest backward error of a solver, in epsilons of the
    format; None of others.
    """

    op: str
    target: str
    dtype: str
    mode: Mode
    strategy: str
    inputs: int
    max_ulp: float
    max_abs: float
    max_rel: float
    at: Worst | None
    condition: float | None
    cpu_seconds: float
    stage: Stage = "forward"
    measure: Measure = "truth"
    max_mean: float = 0.0
    excess_ulp: float = 0.0
    excess_at: Worst | None = None
    formats: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    params: dict[str, Any] = {}
    groups: tuple[float, ...] = ()
    group_means: tuple[float, ...] = ()
    quantiles: tuple[float, ...] = ()
    special: int = 0
    special_at: Worst | None = None
    flushed: int = 0
    raised: int = 0
    unknown: int = 0
    failure: str = ""
    label: str = ""
    truth: Truth = "reference"
    doubts: int = 0
    whole: Whole | None = None
    growth: tuple[Grown, ...] = ()
    growth_stopped: str = ""
    curve: tuple[tuple[float, float], ...] = ()
    tolerance: Tolerance | None = None
    backward: float | None = None

    @property
    def own_ulp(self) -> float:
        """The largest error that rounding of the input does not explain: as proven, where it is."""
        worst = self.excess_at
        if worst is None or worst.proven is None or worst.ball is None:
            return self.excess_ulp
        return worst.proven / (1.0 + worst.ball)


#: Against an earlier measurement.
Status = Literal["worse", "better", "same", "new"]


class Compared(msgspec.Struct, frozen=True):
    """An error beside the earlier one, in ULP that rounding of the input does not explain.

    ``against`` is the earlier target; ``why`` says what else became worse.
    """

    op: str
    label: str
    target: str
    dtype: str
    mode: Mode
    stage: Stage
    status: Status
    now: float
    before: float | None
    against: str = ""
    why: str = ""


class Comparison(msgspec.Struct, frozen=True):
    """All errors beside earlier ones; ``gone`` names what was measured then and is not now."""

    rows: tuple[Compared, ...]
    gone: tuple[str, ...] = ()

    @property
    def worse(self) -> bool:
        """Did any become worse?"""
        return any(row.status == "worse" for row in self.rows)


class LeftOut(msgspec.Struct, frozen=True):
    """What was not measured, and why, in one line. ``fault``: Assay itself failed."""

    op: str
    target: str
    dtype: str
    why: str
    fault: bool = False


class PrecisionResult(msgspec.Struct, frozen=True):
    """All measurements of a run, in the order of ops, targets, formats, modes and strategies."""

    results: tuple[Measurement, ...]
    left_out: tuple[LeftOut, ...]
    seed: int
    seconds: float
    versions: dict[str, dict[str, str]]
    campaign: str
    store: str
    interrupted: bool = False
