"""From verdict to finding, with libraries that are plain functions."""

from collections.abc import Sequence

import msgspec
import numpy as np

from assay.campaign.explain import explain, finding_of
from assay.ir import (
    Array,
    Case,
    Dot,
    Explicit,
    Failure,
    Platform,
    Trace,
    Trial,
    Verdict,
    content_hash,
    named,
)
from assay.judge import ORACLES, Observed
from assay.judge.category import ATTEMPTS
from tests.campaign.worlds import (
    DOUBLE,
    JAX,
    TF,
    TORCH,
    WRONG,
    Function,
    World,
    X,
    case_of,
    explained,
    first_verdict,
    trial_of,
)
from tests.judge.observations import TARGETS, votes


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
    # The hunt's own, the node alone, which is the first re-run, and the others.
    # The ball on the reference; a wider format of it and of the one that is blamed, and its nudges.
    assert counts[0] == counts[1] == (1 + ATTEMPTS, 1 + 2 + 1)


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


def of_random_numbers(rule: str) -> Verdict:
    """What becomes of a difference by a rule, where the plain call never gives the same twice."""
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
