"""Libraries that are plain functions, and the explanation of what they dispute."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.campaign.explain import Explained, explain
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
    Trace,
    Trial,
    Verdict,
    named,
)
from assay.judge import ORACLES, Observed
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
