"""Oracle: the same program, run again on the same input, gives the same."""

import msgspec

from assay.ir import Evidence, Node, Observation, Stage, Verdict
from assay.judge._base import Observed, PartOracle
from assay.judge.compare import difference
from assay.judge.failures import params_of, place_of
from assay.judge.identity import headline
from assay.judge.numeric import element, stage_of


class _Change(msgspec.Struct, frozen=True):
    """What the second run did differently: where, and what each run showed."""

    node: Node
    stage: Stage
    runs: tuple[tuple[str, float | None], ...]
    magnitude: float = 0.0
    where: str = ""
    position: tuple[int, ...] = ()
    tolerance: float | None = None
    message: str = ""


class NondeterminismOracle(PartOracle):
    """A target differs from itself between two runs on the same input."""

    name = "nondeterminism"
    relation = "again"

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """At most one verdict, at the first array that differs beyond the screen."""
        change = _change(observed)
        if change is None:
            return []
        target = observed.trial.arms[0].target
        implementation = observed.votes(target, change.node.op)
        return [
            Verdict(
                oracle=self.name,
                kind="nondeterminism",
                stage=change.stage,
                category="bug",
                op=change.node.op,
                node=change.node.id,
                params=change.node.params,
                targets=(target,),
                blamed=(target,),
                magnitude=change.magnitude,
                evidence=Evidence(
                    observations=tuple(
                        Observation(target, implementation, f"run {number}: {text}", value)
                        for number, (text, value) in enumerate(change.runs, start=1)
                    ),
                    reason="two runs on the same input differ",
                    where=change.where,
                    position=change.position,
                    tolerance=change.tolerance,
                    message=change.message,
                ),
            )
        ]


def _change(observed: Observed) -> _Change | None:
    if len(observed.traces) < 2:
        return None
    first, second = observed.traces.values()
    if first.status != "ok":
        return None
    if second.failure is not None:
        name, op, stage = place_of(observed, second)
        said = headline(second.failure)
        culprit = Node(name, op, params=params_of(observed, name))
        runs = (("works", None), (said, None))
        return _Change(culprit, stage, runs, message=f"only the second run raises {said}")
    for node, array in _places(observed):
        if array not in first.arrays or array not in second.arrays:
            continue
        one, two = first.arrays[array], second.arrays[array]
        found = None if one is two else difference(one, two)  # the worker compared their bits
        if found is not None:
            numbers = [element(one, found.position), element(two, found.position)]
            return _Change(
                node,
                stage_of(array),
                tuple((str(number), number) for number in numbers),
                found.magnitude,
                array,
                found.position,
                found.tolerance,
            )
    return None


def _places(observed: Observed) -> list[tuple[Node, str]]:
    """Arrays to compare, in an order where the first difference is the cause."""
    names = {name for trace in observed.traces.values() for name in trace.arrays}
    graph = observed.case.graph
    places: list[tuple[Node, str]] = []
    for node in graph.nodes:
        first = f"output:{node.id}"
        outputs = [n for n in names if n == first or n.startswith(first + ":")]
        states = [n for n in names if n.startswith(f"state:{node.id}:")]
        places += [(node, name) for name in sorted(outputs) + sorted(states)]
    if "loss" in names:
        # Compared only if it is the library's own: a dot loss is ours, and its sum
        # may overflow in one order and not in another.
        places.append((graph.nodes[-1], "loss"))
    for node in reversed(graph.nodes):
        weights = sorted(n for n in names if n.startswith(f"gradient:weight:{node.id}:"))
        inputs = [
            name
            for tensor in node.tensors()
            for name in (f"gradient:input:{tensor}", f"gradient:output:{tensor}")
            if name in names
        ]
        places += [(node, name) for name in (*weights, *inputs)]
    return places
