"""What raises, dies, or is left open by the documentation; with plain functions."""

import msgspec
import numpy as np
import pytest

from assay.campaign.explain import explain
from assay.ir import Array, Case, Failure, Trace, Trial
from assay.judge import ORACLES, Observed
from tests.campaign.worlds import (
    DOUBLE,
    JAX,
    TF,
    TORCH,
    Function,
    World,
    X,
    case_of,
    explained,
    trial_of,
)
from tests.judge.observations import votes


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
