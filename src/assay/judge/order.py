"""The places where arms are compared, in an order where a difference is no echo of another.

In a DAG one arm may be wrong in several places. An arm whose tensor strayed
from the others' is left out wherever that tensor is read, and takes part again
where it agrees again; so every place is judged on arms that were asked the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from assay.ir import LOSS, Array, LossOp, Node, Trace, loss_node, plain_name, readers
from assay.judge._base import REFERENCE, Observed
from assay.judge.voting import camps_of

#: Arms whose tensors differ by no more than this share of the largest element read the same.
EPSILON = 1e-4


Alike = Callable[[Array, Array], bool]


class Place(msgspec.Struct, frozen=True):
    """An array to compare on the targets that were asked the same.

    ``suspects`` are the nodes whose own result it may be: one, but for the
    gradient of a tensor that several nodes read.
    """

    array: str
    suspects: tuple[Node, ...]
    targets: tuple[str, ...]


def close(first: Array, second: Array) -> bool:
    """Do two arrays mean the same to whoever reads them? NaN equals NaN."""
    if first.shape != second.shape:
        return False
    wide = "complex128" if "c" in (first.dtype.kind, second.dtype.kind) else "float64"
    a, b = first.astype(wide), second.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    if not ((a == b) | finite | (np.isnan(a) & np.isnan(b))).all():
        return False
    if not finite.any():
        return True
    a, b = np.where(finite, a, 0.0), np.where(finite, b, 0.0)
    return bool(np.abs(a - b).max() <= EPSILON * max(np.abs(a).max(), np.abs(b).max()))


class _Strays:
    """Which targets left the others at which tensor."""

    def __init__(self, observed: Observed, traces: Mapping[str, Trace], alike: Alike) -> None:
        self._observed = observed
        self._traces = traces
        self._alike = alike
        self._of: dict[str, frozenset[str]] = {}

    def of(self, names: Sequence[str]) -> frozenset[str]:
        """Targets that strayed at any of these arrays."""
        return frozenset().union(*(self._of.get(name, frozenset()) for name in names))

    def note(self, array: str, op: str, before: frozenset[str]) -> None:
        """Compare an array; ``before`` are those that strayed at what it was made of."""
        holders = [
            (target, trace.arrays[array])
            for target, trace in self._traces.items()
            if array in trace.arrays
        ]
        # Those that were asked the same first, so that they lead the camps.
        holders.sort(key=lambda item: (item[0] in before, item[0] == REFERENCE))
        camps = camps_of(holders, self._alike)
        camps.sort(key=lambda camp: -len(self._observed.implementations(camp, op)))
        strayed = {target for camp in camps[1:] for target in camp}
        wrong = {self._observed.votes(target, op) for target in strayed | before}
        for target in self._traces:
            # Compiled as a whole it shows no tensors inside, but has them all the same.
            hidden = array not in self._traces[target].arrays
            if hidden and (target in before or self._observed.votes(target, op) in wrong):
                strayed.add(target)
        self._of[array] = frozenset(strayed)


def places(
    observed: Observed, traces: Mapping[str, Trace], alike: Alike = close
) -> Iterator[Place]:
    """Outputs and states in topological order, the loss, then gradients from the loss back.

    ``alike`` says whether whoever reads two arrays is asked the same.
    """
    names = sorted({name for trace in traces.values() for name in trace.arrays})
    graph, loss = observed.case.graph, observed.case.loss
    strays = _Strays(observed, traces, alike)

    def asked_the_same(strayed: frozenset[str]) -> tuple[str, ...]:
        return tuple(target for target in traces if target not in strayed)

    for node in graph.nodes:
        before = strays.of([f"output:{plain_name(tensor)}" for tensor in node.tensors()])
        for name in _of_node(names, "output", node.id) + _of_node(names, "state", node.id):
            yield Place(name, (node,), asked_the_same(before))
            strays.note(name, node.op, before)
    ends = [f"output:{plain_name(tensor)}" for tensor in graph.outputs]
    if LOSS in names:
        suspect = loss_node(loss) if isinstance(loss, LossOp) else graph.nodes[-1]
        yield Place(LOSS, (suspect,), asked_the_same(strays.of(ends)))

    def upstream(node: Node) -> list[str]:
        """What a node's gradient is made of: what it read and gave, and the gradient behind it."""
        if node.id == LOSS:
            return ends
        read = [f"output:{plain_name(tensor)}" for tensor in node.tensors()]
        outputs = _of_node(names, "output", node.id)
        return [*read, *outputs, *(f"gradient:{name}" for name in outputs)]

    def gradient(array: str, tensor: str) -> Iterator[Place]:
        suspects = readers(observed.case, tensor)
        if array not in names or not suspects:
            return
        before = strays.of([name for node in suspects for name in upstream(node)])
        yield Place(array, suspects, asked_the_same(before))
        strays.note(array, suspects[0].op, before)

    for node in reversed(graph.nodes):
        for name in _of_node(names, "output", node.id):
            yield from gradient(f"gradient:{name}", name.removeprefix("output:"))
        for name in names:
            if name.startswith(f"gradient:weight:{node.id}:"):
                yield Place(name, (node,), asked_the_same(strays.of(upstream(node))))
    for item in graph.inputs:
        yield from gradient(f"gradient:input:{item.name}", item.name)


def _of_node(names: Sequence[str], what: str, node: str) -> list[str]:
    first = f"{what}:{node}"
    return [name for name in names if name == first or name.startswith(first + ":")]
