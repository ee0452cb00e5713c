"""From verdict to finding, with libraries that are plain functions."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.explain import Explained, explain, finding_of
from assay.ir import (
    Arm,
    Array,
    Case,
    Dot,
    Explicit,
    Failure,
    Graph,
    Input,
    Node,
    Platform,
    Trace,
    Trial,
    Verdict,
    content_hash,
    named,
)
from assay.judge import ORACLES, Observed
from assay.judge.category import ATTEMPTS
from tests.judge.observations import TARGETS, votes

TF, JAX, TORCH = TARGETS
Function = Callable[[Array], Array]


class World:
    """Targets whose ops are functions of one array; counts what was run."""

    def __init__(self, ops: dict[str, dict[str, Any]]) -> None:
        self.ops = ops
        self.observations = 0
        self.runs = 0

    def execute(self, case: Case, target: str) -> Trace:
        tensors = case.input_arrays()
        arrays: dict[str, Array] = {}
        for node in case.graph.nodes:
            function: Function = self.ops[node.op].get(target, self.ops[node.op]["*"])
            (argument,) = node.tensors()
            try:
                with np.errstate(all="ignore"):
                    result = function(tensors[argument])
            except ValueError as error:
                failure = Failure("forward", "builtins.ValueError", str(error), node.id)
                return Trace(target, "error", arrays, failure, "same:")
            tensors[node.id] = arrays[f"output:{node.id}"] = np.asarray(result)
        return Trace(target, "ok", arrays, digest="same:")

    def observe(self, trial: Trial) -> Observed:
        self.observations += 1
        traces = {
            arm.target: self.execute(trial.case, arm.target)
            for arm in trial.arms
            if not arm.follows
        }
        return Observed(trial, traces, votes, {name: named(name) for name in traces})

    def run(self, cases: Sequence[Case], target: str) -> list[Trace]:
        self.runs += 1
        return [self.execute(case, target) for case in cases]


def case_of(array: Array, *ops: str) -> Case:
    nodes = tuple(
        Node(f"n{i}", op, (f"n{i - 1}" if i else "x",), {"place": i}) for i, op in enumerate(ops)
    )
    graph = Graph((Input("x", array.shape, array.dtype.name),), nodes, (nodes[-1].id,))
    return Case(graph, {"x": Explicit(array)}, loss=Dot(()), stage="forward")


def trial_of(case: Case, *targets: str) -> Trial:
    return Trial(3, "test", (case,), tuple(Arm(t) for t in targets or (*TARGETS, "reference")))


def first_verdict(seen: Observed) -> Verdict:
    return next(verdict for oracle in ORACLES for verdict in oracle.judge(seen))


def explained(world: World, trial: Trial) -> Explained:
    seen = world.observe(trial)
    return explain(seen, first_verdict(seen), world.observe, world.run)


X = np.array([[0.5, 1.0, -2.0]], "float32")
DOUBLE: dict[str, Any] = {"*": lambda x: x * 2}
WRONG: dict[str, Any] = {"*": np.tanh, TORCH: lambda x: np.tanh(x) + np.float32(0.25)}


def test_a_fault_is_isolated_confirmed_and_a_bug() -> None:
    world = World({"double": DOUBLE, "wrong": WRONG})
    case = case_of(X, "double", "wrong", "double")
    result = explained(world, trial_of(case))
    verdict = result.verdict
    assert (verdict.op, verdict.category, verdict.blamed) == ("wrong", "bug", (TORCH,))
    assert [node.id for node in result.case.graph.nodes] == ["n1"]
    assert result.case.input_arrays()["n0"].tolist() == (X * 2).tolist()
    assert (verdict.evidence.confirmations, verdict.evidence.attempts) == (ATTEMPTS, ATTEMPTS)
    assert not result.flaky
    assert set(result.arrays) == {
        "input:n0",
        *(f"{target}/output:n1" for target in (*TARGETS, "reference")),
    }


def differentiated(case: Case) -> Case:
    upstream = Dot((Explicit(np.ones(X.shape, "float32")),))
    return msgspec.structs.replace(case, loss=upstream, stage="gradient")


def test_wrong_results_are_explained_without_gradients() -> None:
    world = World({"wrong": WRONG})
    result = explained(world, trial_of(differentiated(case_of(X, "wrong"))))
    assert (result.verdict.category, result.verdict.blamed) == ("bug", (TORCH,))
    assert (result.case.stage, result.case.loss) == ("forward", None)


def test_what_raises_only_when_it_is_differentiated_stays_so() -> None:
    class Strict(World):
        def execute(self, case: Case, target: str) -> Trace:
            if target == TORCH and case.stage == "gradient":
                failure = Failure("forward", "builtins.ValueError", "no derivative", "n0")
                return Trace(target, "error", {}, failure, "same:")
            return super().execute(case, target)

    case = differentiated(case_of(X, "double"))
    result = explained(Strict({"double": DOUBLE}), trial_of(case))
    assert (result.verdict.kind, result.verdict.blamed) == ("error", (TORCH,))
    assert result.case == case


def test_who_is_asked_last_is_asked_once_and_may_be_to_blame() -> None:
    shared = {"*": np.tanh} | dict.fromkeys((JAX, TORCH), lambda x: np.tanh(x) + np.float32(0.25))
    world = World({"shared": shared})
    trial = trial_of(case_of(X, "shared"))
    few = world.observe(trial.on((TF, TORCH, "reference")))
    seen = msgspec.structs.replace(few, trial=trial)
    world.observations = 0
    result = explain(seen, first_verdict(few), world.observe, world.run)
    assert result.verdict.blamed == (JAX, TORCH)
    assert world.observations == ATTEMPTS + 1
    assert result.verdict.evidence.confirmations == ATTEMPTS


def test_the_number_of_runs_does_not_depend_on_luck() -> None:
    counts = []
    for _ in range(2):
        world = World({"double": DOUBLE, "wrong": WRONG})
        explained(world, trial_of(case_of(X, "double", "wrong")))
        counts.append((world.observations, world.runs))
    # The ball on the reference; a wider format of it and of the one that is blamed, and its nudges.
    assert counts[0] == counts[1] == (1 + 1 + ATTEMPTS, 1 + 2 + 1)


def test_what_does_not_show_alone_keeps_its_case_and_accuses_no_one() -> None:
    """The fault needs both nodes: alone, on float values that went through a file, it is gone."""
    state = {"doubled": False}

    def remember(x: Array) -> Array:
        state["doubled"] = True
        return x * 2

    def depends(x: Array) -> Array:
        wrong, state["doubled"] = state["doubled"], False
        return x + np.float32(wrong)

    ops = {
        "double": {"*": lambda x: x * 2, TORCH: remember},
        "add": {"*": lambda x: x, TORCH: depends},
    }
    case = case_of(X, "double", "add")
    result = explained(World(ops), trial_of(case))
    assert result.case == case
    assert result.verdict.category == "flaky"
    assert "alone" in result.verdict.evidence.reason
    assert result.verdict.evidence.confirmations == ATTEMPTS


def test_what_needs_several_nodes_may_be_the_fault_of_who_compiles_them_as_one() -> None:
    fused = [False]

    def remember(x: Array) -> Array:
        fused[0] = True
        return x * 2

    def depends(x: Array) -> Array:
        wrong, fused[0] = fused[0], False
        return x + np.float32(wrong)

    class Fusing(World):
        def observe(self, trial: Trial) -> Observed:
            return msgspec.structs.replace(super().observe(trial), fusing=frozenset({TORCH}))

    ops = {
        "double": {"*": lambda x: x * 2, TORCH: remember},
        "add": {"*": lambda x: x, TORCH: depends},
    }
    case = case_of(X, "double", "add")
    result = explained(Fusing(ops), trial_of(case))
    assert result.case == case
    assert (result.verdict.category, result.verdict.blamed) == ("bug", (TORCH,))


def alternating(period: int) -> Function:
    """Wrong on the first call and every ``period``-th after it."""
    calls = [0]

    def function(x: Array) -> Array:
        calls[0] += 1
        return x + np.float32((calls[0] - 1) % period == 0)

    return function


def test_what_never_shows_again_is_flaky() -> None:
    world = World({"odd": {"*": lambda x: x, TORCH: alternating(1000)}})
    result = explained(world, trial_of(case_of(X, "odd")))
    assert (result.verdict.category, result.flaky) == ("flaky", True)
    assert result.verdict.evidence.confirmations == 0
    assert "could not be reproduced" in result.verdict.evidence.reason


def test_what_shows_now_and_then_is_marked() -> None:
    # Calls: the trial, and two confirmations, of which one shows it.
    world = World({"odd": {"*": lambda x: x, TORCH: alternating(2)}})
    result = explained(world, trial_of(case_of(X, "odd")))
    assert result.flaky
    assert result.verdict.evidence.confirmations == 1
    assert result.verdict.category != "flaky"


class Repeating(World):
    """Runs everything twice when asked to, as a worker does."""

    def observe(self, trial: Trial) -> Observed:
        seen = super().observe(trial)
        again = {
            arm.name: msgspec.structs.replace(self.execute(trial.case, arm.target), arm=arm.name)
            for arm in trial.arms
            if arm.follows
        }
        return Observed(trial, {**seen.traces, **again}, votes)


def test_numbers_that_differ_between_runs_of_one_target_are_nondeterminism() -> None:
    calls = [0]

    def uninitialised(x: Array) -> Array:
        calls[0] += 1
        return x + np.float32(calls[0])

    world = Repeating({"odd": {"*": lambda x: x, TORCH: uninitialised}})
    verdict = explained(world, trial_of(case_of(X, "odd"))).verdict
    assert (verdict.kind, verdict.category, verdict.blamed) == ("nondeterminism", "bug", (TORCH,))
    assert verdict.evidence.confirmations == ATTEMPTS


def test_a_cancellation_is_rounding() -> None:
    x = np.array([[1.0, 1.0000001]], "float32")
    ops = {"*": lambda x: (x - 1) * 1e6, TORCH: lambda x: (x - np.float32(1 + 1.2e-7)) * 1e6}
    result = explained(World({"cancel": ops}), trial_of(case_of(x, "cancel")))
    assert result.verdict.category == "rounding"
    assert "one ULP" in result.verdict.evidence.reason


def wrong_at(*values: float) -> Function:
    return lambda x: np.where(np.isin(x, values), x + x.dtype.type(0.5), x)


def noisy(x: Array) -> Array:
    """What a formula that cancels gives: noise in float32, the truth in float64."""
    if x.dtype == "float64":
        return x
    return x + (x.view("int32") % 5 - 2).astype("float32") / 4


def noisy_at_every_width(x: Array) -> Array:
    return noisy(x.astype("float32"))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param(noisy, "precision", id="noise"),
        pytest.param(noisy_at_every_width, "precision", id="noise without a wider format"),
        pytest.param(lambda x: x + x.dtype.type(0.5), "inconsistency", id="shifted"),
        pytest.param(wrong_at(0.5), "inconsistency", id="wrong at one input"),
        pytest.param(wrong_at(0.5, 0.5 + 2.0**-24), "inconsistency", id="wrong at some inputs"),
    ],
)
def test_an_unstable_formula_is_a_bug_and_told_from_a_wrong_meaning(
    answer: Function, kind: str
) -> None:
    world = World({"op": {"*": lambda x: x, TORCH: answer}})
    result = explained(world, trial_of(case_of(X, "op")))
    assert (result.verdict.category, result.verdict.kind) == ("bug", kind)


def test_a_scalar_can_be_rounding_too() -> None:
    x = np.array([1.0, 1.0000001, 0.75], "float32")
    ops = {
        "*": lambda x: np.float32((x[0] - x[1]) * 1e6),
        TORCH: lambda x: np.float32((x[0] - x[1]) * 1e6 + 0.05),
    }
    result = explained(World({"cancel": ops}), trial_of(case_of(x, "cancel")))
    assert result.verdict.evidence.position == ()
    assert result.verdict.category == "rounding"


def test_a_nan_that_comes_and_goes_with_an_ulp_is_rounding() -> None:
    x = np.array([[1.0, 0.5]], "float32")
    ops = {"*": lambda x: np.sqrt(1 - x), TORCH: lambda x: np.sqrt(1 - x - np.float32(1e-7))}
    result = explained(World({"edge": ops}), trial_of(case_of(x, "edge")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "rounding")


def test_a_nan_at_an_ordinary_place_is_a_bug_whatever_happens_elsewhere() -> None:
    """log(0) comes and goes with an ULP; log(1) does not."""
    x = np.array([[0.0, 1.0]], "float32")

    def wrong(x: Array) -> Array:
        result = np.log(np.abs(x))
        result[0, 1] = np.nan
        return result

    ops = {"*": lambda x: np.log(np.abs(x)), TORCH: wrong}
    result = explained(World({"log": ops}), trial_of(case_of(x, "log")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "bug")
    assert result.verdict.evidence.position == (0, 1)


def test_shapes_that_differ_are_a_bug() -> None:
    world = World({"flat": {"*": lambda x: x, TORCH: np.ravel}})
    result = explained(world, trial_of(case_of(X, "flat")))
    assert result.verdict.category == "bug"
    assert world.runs == 0


def test_a_known_convention_is_recognised_by_its_entry() -> None:
    x = np.array([[1.0, np.nan]], "float32")
    ops = {"*": lambda x: x.max(axis=1), TORCH: lambda x: np.nanmax(x, axis=1)}
    world = World({"keras.layers.MaxPooling1D": ops})
    result = explained(world, trial_of(case_of(x, "keras.layers.MaxPooling1D")))
    assert (result.verdict.category, result.verdict.recognised) == ("convention", "max-pooling-nan")


def test_a_wrong_result_that_overflows_is_no_rounding() -> None:
    """With moderate numbers it is as wrong, though not infinite."""
    x = np.array([[3e38, 1.0]], "float32")
    ops = {"*": lambda x: x, TORCH: lambda x: x * np.float32(4)}
    result = explained(World({"scale": ops}), trial_of(case_of(x, "scale")))
    assert result.verdict.category == "bug"


def test_overflow_inside_is_rounding() -> None:
    x = np.array([[3e38, 1.0]], "float32")
    ops = {"*": lambda x: x, TORCH: lambda x: (x * np.float32(4)) / np.float32(4)}
    result = explained(World({"scale": ops}), trial_of(case_of(x, "scale")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "rounding")


@pytest.mark.parametrize(
    ("op", "category"),
    [
        ("keras.optimizers.Adam", "rounding"),
        ("keras.metrics.RootMeanSquaredError", "rounding"),
        ("keras.metrics.CosineSimilarity", "bug"),
        ("keras.ops.norm", "bug"),
    ],
)
def test_a_state_that_does_not_fit_is_no_unstable_formula(op: str, category: str) -> None:
    def squared(x: Array) -> Array:
        return np.sqrt(np.square(x))

    x = np.array([[8e37, 1.0]], "float32")
    ops = {"*": squared, "reference": lambda x: np.sqrt(np.square(x.astype("float64")))}
    result = explained(World({op: ops}), trial_of(case_of(x, op)))
    assert result.verdict.category == category


def test_nan_for_what_double_precision_does_not_hold_either_is_overflow() -> None:
    x = np.array([[3e38, 2.0]], "float32")

    def large(x: Array) -> Array:
        return np.where(x > 1e30, x.dtype.type(np.inf), x)

    def lost(x: Array) -> Array:
        return np.where(x > 1e30, x.dtype.type(np.nan), x)

    result = explained(World({"op": {"*": large, TORCH: lost}}), trial_of(case_of(x, "op")))
    assert (result.verdict.kind, result.verdict.category) == ("nan", "rounding")


def test_what_only_the_reference_disputes_is_no_bug() -> None:
    ops = {"*": lambda x: x, "reference": lambda x: x + 1}
    result = explained(World({"op": ops}), trial_of(case_of(X, "op")))
    assert result.verdict.category == "convention"
    assert result.verdict.blamed == ()


def test_who_contradicts_everybody_is_not_excused_by_the_size_of_what_goes_in() -> None:
    """Where all agree against the reference, their terms may have cancelled out."""
    x = np.array([[1e6, 0.25, 3.0]], "float32")
    off: dict[str, Any] = {"*": lambda x: np.sin(x) + 0.5, "reference": np.sin}
    agreed = explained(World({"op": off}), trial_of(case_of(x, "op")))
    assert agreed.verdict.category == "rounding"
    others = {TORCH: lambda x: np.sin(x) + 0.75, JAX: lambda x: np.sin(x) - 0.5}
    result = explained(World({"op": {**off, **others}}), trial_of(case_of(x, "op")))
    assert result.verdict.category == "undecided"


def clipped(x: Array) -> Array:
    return np.clip(x.astype("float64"), -(2**31), 2**31 - 1).astype("int32")


def overflown(x: Array) -> Array:
    return np.where(np.abs(x) > 2**31, np.int32(-(2**31)), clipped(x))


def test_whole_numbers_do_not_round_however_large_the_numbers_that_go_in() -> None:
    x = np.array([[3e30, 1.0]], "float32")
    world = World({"cast": {"*": overflown, JAX: clipped, "reference": clipped}})
    result = explained(world, trial_of(case_of(x, "cast")))
    assert (result.verdict.kind, result.verdict.category) == ("inconsistency", "bug")
    assert set(result.verdict.blamed) == {TF, TORCH}
    world = World({"cast": {"*": overflown, "reference": clipped}})
    result = explained(world, trial_of(case_of(x, "cast")))
    assert result.verdict.category == "convention"


def raising(x: Array) -> Array:
    raise ValueError("The op currently only supports the NHWC tensor format on the CPU")


@pytest.mark.parametrize(
    ("target", "category", "recognised"),
    [(TF, "unsupported", "tensorflow-cpu-nchw"), (TORCH, "unsupported", "")],
)
def test_an_error_keeps_its_category(target: str, category: str, recognised: str) -> None:
    world = World({"double": DOUBLE, "keras.layers.Conv2D": {"*": np.abs, target: raising}})
    result = explained(world, trial_of(case_of(X, "double", "keras.layers.Conv2D")))
    assert (result.verdict.kind, result.verdict.category) == ("error", category)
    assert (result.verdict.recognised, result.verdict.blamed) == (recognised, (target,))
    assert len(result.case.graph.nodes) == 1
    assert world.runs == 0


def test_two_targets_that_die_differently_stay_two_findings() -> None:
    """Each verdict is followed on its own target, though kind, stage and op are the same."""

    def traces(trial: Trial) -> Observed:
        deaths = {JAX: "SIGABRT", TORCH: "SIGSEGV"}
        made = {
            arm.target: Trace(
                arm.target, "crash", {}, Failure("forward", deaths[arm.target], "died", "n0")
            )
            if arm.target in deaths
            else Trace(arm.target, "ok", {"output:n0": X}, digest="same:")
            for arm in trial.plain().arms
        }
        return Observed(trial, made, votes)

    seen = traces(trial_of(case_of(X, "op")))
    verdicts = [verdict for oracle in ORACLES for verdict in oracle.judge(seen)]
    world = World({})
    blamed = [explain(seen, v, traces, world.run).verdict.blamed for v in verdicts]
    assert blamed == [(JAX,), (TORCH,)]


def test_a_finding_has_everything_and_an_id_from_its_fingerprint() -> None:
    world = World({"double": DOUBLE, "wrong": WRONG})
    trial = trial_of(case_of(X, "double", "wrong"))
    seen = world.observe(trial)
    result = explain(seen, first_verdict(seen), world.observe, world.run)
    torch = Platform("keras", "torch", versions={"torch": "2.13.0"})
    platforms = {TORCH: torch, "other": Platform("other")}
    finding = finding_of(result, trial, "campaign", 7, platforms, seen)
    assert finding.fingerprint.startswith(finding.id)
    assert len(finding.id) == 8
    assert (finding.op, finding.params, finding.node) == ("wrong", {"place": 1}, "n1")
    assert (finding.campaign, finding.seed, finding.trial) == ("campaign", 7, 3)
    assert finding.versions == {TORCH: {"torch": "2.13.0"}}
    assert finding.platforms == {TORCH: torch}
    assert content_hash(finding.case) == content_hash(result.case)
    assert content_hash(finding.original) == content_hash(trial.case)
    again = msgspec.structs.replace(trial, index=9)
    assert finding_of(result, again, "c", 8, {}, seen).fingerprint == finding.fingerprint


def test_a_gradient_error_without_a_place_is_traced_to_the_node_that_raises_alone() -> None:
    """One gradient call covers the whole graph: only running nodes alone tells which one fails."""

    class Differentiated(World):
        def execute(self, case: Case, target: str) -> Trace:
            trace = super().execute(case, target)
            upstream = {f"gradient:{name}": array for name, array in trace.arrays.items()}
            arrays = {**trace.arrays, **upstream}
            if target == TORCH and any(node.op == "bad" for node in case.graph.nodes):
                failure = Failure("gradient", "builtins.LookupError", "no gradient", "")
                return Trace(target, "error", trace.arrays, failure, "same:")
            return msgspec.structs.replace(trace, arrays=arrays)

    identity = {"*": lambda x: x}
    world = Differentiated({"good": identity, "bad": identity, "last": identity})
    case = case_of(np.ones(3, "float32"), "good", "bad", "last")
    case = msgspec.structs.replace(case, stage="gradient")
    observed = world.observe(trial_of(case))
    (verdict,) = [v for oracle in ORACLES for v in oracle.judge(observed) if v.kind == "error"]
    assert (verdict.node, verdict.op) == ("", "last")
    explained = explain(observed, verdict, world.observe, world.run)
    assert (explained.verdict.op, explained.verdict.blamed) == ("bad", (TORCH,))
    assert [node.op for node in explained.case.graph.nodes] == ["bad"]


class Silent(World):
    """Its reference says that the documentation leaves the result open."""

    def execute(self, case: Case, target: str) -> Trace:
        if target != "reference":
            return super().execute(case, target)
        failure = Failure("forward", "registry.Undocumented", "it is not documented", "n0")
        return Trace(target, "error", {}, failure, "same:")


def test_a_refusal_of_what_is_not_documented_is_no_bug() -> None:
    def refuse(x: Array) -> Array:
        raise ValueError("the range is not finite")

    ops = {"histogram": {"*": lambda x: x, TORCH: refuse}}
    assert explained(World(ops), trial_of(case_of(X, "histogram"))).verdict.category == "bug"
    verdict = explained(Silent(ops), trial_of(case_of(X, "histogram"))).verdict
    assert (verdict.kind, verdict.category) == ("error", "unsupported")
    assert verdict.evidence.reason == "refused, and it is not documented"


class SilentOfNan(Silent):
    """Its reference says so of inputs with NaN only."""

    def execute(self, case: Case, target: str) -> Trace:
        special = np.isnan(case.input_arrays()["x"]).any()
        return super().execute(case, target) if special else World.execute(self, case, target)


@pytest.mark.parametrize(
    ("wrong", "category"),
    [(lambda x: x + np.float32(0.5), "bug"), (lambda x: np.nan_to_num(x), "convention")],
)
def test_what_is_left_open_for_special_values_is_asked_with_ordinary_ones(
    wrong: Function, category: str
) -> None:
    x = np.array([[1.0, np.nan, 2.0]], "float32")
    world = SilentOfNan({"op": {"*": lambda x: x, TORCH: wrong}})
    verdict = explained(world, trial_of(case_of(x, "op"))).verdict
    assert (verdict.category, verdict.blamed) == (category, (TORCH,))
    assert ("ordinary numbers" in verdict.evidence.reason) == (category == "bug")


def of_random_numbers(rule: str) -> Verdict:
    """What becomes of a difference by a rule, where the plain call gives other numbers each time."""
    draw = np.random.RandomState(0)

    def observe(asked: Trial) -> Observed:
        traces = {}
        for arm in asked.arms:
            arrays = {"output:n0": draw.random_sample((3,))}
            if arm.rule:
                arrays = {"expected:output:n0": np.zeros(3), "output:n0": np.zeros(4)}
            traces[arm.name] = Trace(arm.name, "ok", arrays, digest="same:")
        return Observed(asked, traces, votes, {TORCH: named(TORCH)})

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        raise AssertionError("nobody else is asked")

    seen = observe(trial_of(case_of(X, "random"), TORCH).by_rule(rule))
    (verdict,) = [found for oracle in ORACLES for found in oracle.judge(seen)]
    return explain(seen, verdict, observe, run).verdict


def test_random_results_are_no_nondeterminism_where_a_rule_asks_what_they_have_in_common() -> None:
    announced = of_random_numbers("symbolic")
    assert (announced.kind, announced.category) == ("equivalence", "bug")
    assert announced.evidence.confirmations == ATTEMPTS
    assert of_random_numbers("strided").kind == "nondeterminism"
