"""The places where arms are compared, in an order where a difference is no echo of another.

In a DAG one arm may be wrong in several places. An arm whose tensor strayed
from the others' is left out wherever that tensor is read, and takes part again
where it agrees again; so every place is judged on arms that were asked the same. An arm
that compiles the graph as a whole does not show on which side it was: if it gives later
what a stray gives and nobody else, it strayed with it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from assay.gaps import READS_ALIKE, gap
from assay.ir import (
    LOSS,
    REFERENCE,
    Array,
    LossOp,
    Node,
    Trace,
    loss_node,
    optimizer_node,
    plain_name,
    readers,
)
from assay.judge._base import Observed
from assay.judge.voting import camps_of

Alike = Callable[[Array, Array], bool]


class Place(msgspec.Struct, frozen=True):
    """An array to compare on the targets that were asked the same.

    ``suspects`` are the nodes whose own result it may be: one, but for the
    gradient of a tensor that several nodes read. ``agree``: the targets have
    arrays that are alike, or at most one has any.
    """

    array: str
    suspects: tuple[Node, ...]
    targets: tuple[str, ...]
    agree: bool


def close(first: Array, second: Array, coarse: float = 1.0) -> bool:
    """Do two arrays mean the same to whoever reads them? NaN equals NaN.

    Whoever is close is the same answer for ``assay.judge.compare`` too.
    """
    found = gap(first, second)
    if found is None or found.special is not None:
        return False
    if not found.furthest or found.whole:
        return not found.furthest
    return found.furthest <= coarse * READS_ALIKE * found.largest


class _Strays:
    """Which targets left the others at which tensor."""

    def __init__(self, observed: Observed, traces: Mapping[str, Trace], alike: Alike) -> None:
        self._observed = observed
        self._traces = traces
        self._alike = alike
        self._of: dict[str, frozenset[str]] = {}
        #: Targets that may have strayed at an array, which they do not show.
        self._unsure: dict[str, frozenset[str]] = {}

    def place(self, array: str, suspects: tuple[Node, ...], made_of: Sequence[str]) -> Place:
        """Compare an array with what the others have, knowing who strayed at what it is made of."""
        before = _union(self._of, made_of)
        unsure = _union(self._unsure, made_of) - before
        holders = [
            (target, trace.arrays[array])
            for target, trace in self._traces.items()
            if array in trace.arrays
        ]
        # Those that were asked the same first, so that they lead the camps.
        holders.sort(key=lambda item: (item[0] in before, item[0] in unsure, item[0] == REFERENCE))
        camps = camps_of(holders, self._alike)
        for camp in camps:
            if before.intersection(camp) and before | unsure >= set(camp):
                before |= unsure.intersection(camp)
        asked = tuple(target for target in self._traces if target not in before)
        agree = sum(any(target in asked for target in camp) for camp in camps) < 2
        op = suspects[0].op
        if len(camps) > 1:
            camps.sort(key=lambda camp: -len(self._observed.implementations(camp, op)))
        strayed = {target for camp in camps[1:] for target in camp}
        if strayed or before:
            strayed |= self._hidden(array, op, strayed, before)
        self._of[array] = frozenset(strayed)
        self._unsure[array] = self._hiding(array) if len(camps) > 1 else frozenset()
        return Place(array, suspects, asked, agree)

    def _hidden(self, array: str, op: str, strayed: set[str], before: frozenset[str]) -> set[str]:
        """Targets that do not show the array but have it: compiled as a whole, say."""
        wrong = {self._observed.votes(target, op) for target in strayed | before}
        return {
            target
            for target, trace in self._traces.items()
            if array not in trace.arrays
            and (target in before or self._observed.votes(target, op) in wrong)
        }

    def _hiding(self, array: str) -> frozenset[str]:
        """Native targets that compile the graph as a whole, and do not show the array."""
        return frozenset(
            target
            for target in self._observed.fusing.intersection(self._traces)
            if array not in self._traces[target].arrays and self._observed.native(target)
        )


def _union(known: Mapping[str, frozenset[str]], names: Sequence[str]) -> frozenset[str]:
    """The targets known of any of these arrays."""
    return frozenset().union(*(known.get(name, frozenset()) for name in names))


def places(
    observed: Observed, traces: Mapping[str, Trace], alike: Alike = close
) -> Iterator[Place]:
    """Outputs and states in topological order, the loss, gradients from the loss back, updates.

    ``alike`` says whether whoever reads two arrays is asked the same.
    """
    names = sorted({name for trace in traces.values() for name in trace.arrays})
    graph, loss = observed.case.graph, observed.case.loss
    by_node, known = _by_node(names), set(names)
    strays = _Strays(observed, traces, alike)

    for node in graph.nodes:
        read = [f"output:{plain_name(tensor)}" for tensor in node.tensors()]
        for name in by_node.get(("output", node.id), []) + by_node.get(("state", node.id), []):
            yield strays.place(name, (node,), read)
    ends = [f"output:{plain_name(tensor)}" for tensor in graph.outputs]
    if LOSS in names:
        suspect = loss_node(loss) if isinstance(loss, LossOp) else graph.nodes[-1]
        yield strays.place(LOSS, (suspect,), ends)

    def upstream(node: Node) -> list[str]:
        """What a node's gradient is made of: what it read and gave, and the gradient behind it."""
        if node.id == LOSS:
            return ends
        read = [f"output:{plain_name(tensor)}" for tensor in node.tensors()]
        outputs = by_node.get(("output", node.id), [])
        return [*read, *outputs, *(f"gradient:{name}" for name in outputs)]

    def gradient(array: str, tensor: str) -> Iterator[Place]:
        suspects = readers(observed.case, tensor)
        if array not in known or not suspects:
            return
        yield strays.place(array, suspects, [n for node in suspects for n in upstream(node)])

    for node in reversed(graph.nodes):
        for name in by_node.get(("output", node.id), []):
            yield from gradient(f"gradient:{name}", name.removeprefix("output:"))
        for name in by_node.get(("weight", node.id), []):
            yield strays.place(name, (node,), upstream(node))
    for item in graph.inputs:
        yield from gradient(f"gradient:input:{item.name}", item.name)
    optimizer = observed.case.optimizer
    if optimizer is not None:
        suspect = optimizer_node(optimizer)
        everything = [name for name in names if name.startswith("gradient:weight:")]
        for name in (name for name in names if name.startswith("update:")):
            own = f"gradient:weight:{name.removeprefix('update:')}"
            yield strays.place(name, (suspect,), everything if optimizer.coupled else [own])


def _by_node(names: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Arrays by what they are (output, state, weight's gradient) and by node, in order of names."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in names:
        what, _, rest = name.partition(":")
        if name.startswith("gradient:weight:"):
            what, rest = "weight", rest.removeprefix("weight:")
        found.setdefault((what, rest.partition(":")[0]), []).append(name)
    return found
