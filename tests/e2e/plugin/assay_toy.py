"""Two toy techniques of another distribution: one that learns, one of equivalent programs.

Both draw calls of ``selftest.scale``, which ``fault.py`` makes wrong for large factors.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.ir import (
    Agreement,
    Arm,
    Case,
    Graph,
    Input,
    Node,
    Trace,
    Trial,
    Uniform,
    Verdict,
    derive,
)
from assay.sources import Generational, Memoryless

Triple = tuple[str, str, str]


def case_of(index: int, *nodes: tuple[str, dict[str, float]]) -> Case:
    made = tuple(
        Node(f"n{place}", f"selftest.{op}", (f"n{place - 1}" if place else "x",), params)
        for place, (op, params) in enumerate(nodes)
    )
    return Case(Graph((Input("x", (1, 5)),), made, (made[-1].id,)), {"x": Uniform(index, 0.5, 2.0)})


class Climber(Generational):
    """Looks for the factor on which the targets differ most, from the best one so far."""

    name = "climb"

    def __init__(self, seed: int, targets: tuple[str, ...], vocabulary: Mapping[str, Any]) -> None:
        super().__init__(6)
        self._seed, self._targets = seed, targets
        self._centre, self._best = 1.0, -1.0

    def propose(self, index: int) -> Trial:
        step = derive(self._seed, index) % 1000 / 1000 - 0.4
        case = case_of(index, ("scale", {"factor": self._centre + step}))
        return Trial(index, self.name, (case,), tuple(map(Arm, self._targets)))

    def assess(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> Any:
        outputs = [trace.arrays["output:n0"] for trace in traces if trace.arrays]
        apart = max(float(np.abs(array - outputs[0]).max()) for array in outputs)
        return [apart, float(outputs[0].max()), index, len(verdicts)]

    def learn(self, told: Sequence[Any]) -> None:
        apart, largest, index, _ = max(told)
        if apart + largest > self._best:
            self._best = apart + largest
            self._centre += derive(self._seed, index) % 1000 / 1000 - 0.4

    def memory(self) -> Any:
        return [self._centre, self._best]

    def remember(self, memory: Any) -> None:
        self._centre, self._best = memory

    def universe(self) -> frozenset[Triple]:
        return frozenset()


class Doubling(Memoryless):
    """Scaling by a factor is scaling by a half of it, twice as much; and so is the other way."""

    name = "doubling"

    def __init__(self, seed: int, targets: tuple[str, ...], vocabulary: Mapping[str, Any]) -> None:
        self._seed, self._targets = seed, targets

    def ask(self, index: int) -> Trial:
        factor = 1.0 + derive(self._seed, index) % 4
        programs = [
            [("scale", {"factor": factor})],
            [("scale", {"factor": factor / 2}), ("scale", {"factor": 2.0})],
            [("scale", {"factor": 2.0}), ("scale", {"factor": factor / 2})],
        ]
        targets = [target for target in self._targets if target != "reference"]
        rules = ("", "rule:halve", "rule:double")
        return Trial(
            index,
            self.name,
            tuple(case_of(index, *nodes) for nodes in programs),
            tuple(Arm(t, case, rule) for t in targets for case, rule in enumerate(rules)),
            tuple(
                Agreement("equivalent", (t, f"{t}#{rule}"), (("output:n0", "output:n1"),))
                for t in targets
                for rule in rules[1:]
            ),
        )

    def universe(self) -> frozenset[Triple]:
        return frozenset()
