"""Past a node that is disputed: its result becomes an input, the same for every arm.

Behind a node on which arms differ nothing can be compared, and an arm that
raises computes no further. In a model much is behind; with the disputed nodes
bridged all arms go on from the same numbers.
"""

from collections.abc import Mapping, Sequence

import msgspec

from assay.ir import Array, Case, Explicit, Graph, Input, Trial, Verdict, producer, validate_case
from assay.judge import Observed
from assay.targets import REFERENCE

#: Shorter chains are soon drawn again.
_FEWEST_NODES = 5


def bridged(observed: Observed, verdicts: Sequence[Verdict]) -> Trial | None:
    """The trial with the disputed nodes bridged; None if there is no node to bridge.

    Only where forward results are disputed: a wrong gradient leaves those of the
    nodes behind intact.
    """
    case = observed.case
    if len(case.graph.nodes) < _FEWEST_NODES or observed.trial.intent != "valid":
        return None
    read = {tensor for node in case.graph.nodes for tensor in node.tensors()}
    disputed = {v.node for v in verdicts if v.stage in ("build", "forward") and v.node in read}
    if not disputed:
        return None
    blamed = {target for verdict in verdicts for target in verdict.blamed}
    for target in _trustworthy(observed, blamed):
        arrays = observed.traces[target].outputs()
        if disputed <= set(arrays):
            values = {name: arrays[name] for name in sorted(disputed)}
            cases = (_behind(case, values),)
            return msgspec.structs.replace(observed.trial, cases=cases, repeat=False)
    return None


def _trustworthy(observed: Observed, blamed: set[str]) -> list[str]:
    """Arms whose numbers may be handed on; never the reference, whose are too precise."""
    targets = [target for target in observed.traces if target != REFERENCE.name]
    return sorted(targets, key=lambda name: (observed.traces[name].status != "ok", name in blamed))


def _behind(case: Case, values: Mapping[str, Array]) -> Case:
    """The case with these results given, and without what only led to them."""
    needed = {producer(tensor) for tensor in case.graph.outputs}
    nodes = []
    for node in reversed(case.graph.nodes):
        if node.id in needed and node.id not in values:
            nodes.append(node)
            needed.update(map(producer, node.tensors()))
    kept = [item for item in case.graph.inputs if item.name in needed]
    given = [Input(name, array.shape, array.dtype.name) for name, array in values.items()]
    given = [item for item in given if item.name in needed]
    graph = Graph((*kept, *given), tuple(reversed(nodes)), case.graph.outputs)
    recipes = {item.name: case.inputs[item.name] for item in kept}
    explicit = {item.name: Explicit(values[item.name]) for item in given}
    return validate_case(msgspec.structs.replace(case, graph=graph, inputs={**recipes, **explicit}))
