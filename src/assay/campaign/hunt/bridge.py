"""Around nodes that are disputed: what is behind them, and the gradients before them.

Behind a node on which arms differ nothing can be compared, and an arm that
raises computes no further. With the results of disputed nodes as inputs, all
arms go on from the same numbers. Nor do gradients come back past such a node:
the part of the model before it gets an upstream gradient of its own.
"""

from collections.abc import Mapping, Sequence

import msgspec

from assay.ir import (
    REFERENCE,
    Array,
    Case,
    Dot,
    Explicit,
    Graph,
    Input,
    Node,
    Trial,
    Uniform,
    Verdict,
    derive,
    producer,
    validate_case,
)
from assay.judge import Observed

#: Shorter chains are soon drawn again.
_FEWEST_NODES = 5


def before(observed: Observed, verdicts: Sequence[Verdict]) -> Trial | None:
    """The part of a model that disputed nodes read from, with its gradients; None if nothing."""
    case = observed.case
    disputed = _disputed(observed, verdicts)
    made = {node.id for node in case.graph.nodes} - disputed
    ends = {
        tensor: None
        for node in case.graph.nodes
        if node.id in disputed
        for tensor in node.tensors()
        if producer(tensor) in made
    }
    if not ends or case.stage not in ("gradient", "update"):
        return None
    nodes, needed = _leading_to(case, {producer(tensor) for tensor in ends}, disputed)
    inputs = tuple(item for item in case.graph.inputs if item.name in needed)
    if needed & disputed:  # one disputed node reads from another: the first comes first
        return None
    upstream = (Uniform(derive(case.weights.seed, "upstream", name), 0.5, 1.5) for name in ends)
    part = msgspec.structs.replace(
        case,
        graph=Graph(inputs, nodes, tuple(ends)),
        inputs={item.name: case.inputs[item.name] for item in inputs},
        loss=Dot(tuple(upstream)),
        optimizer=None,
        stage="gradient",
    )
    return observed.trial.plain().asking(validate_case(part))


def _disputed(observed: Observed, verdicts: Sequence[Verdict]) -> set[str]:
    """Nodes with forward results that others read and that arms disagree on.

    A wrong gradient leaves the results of the nodes behind intact.
    """
    nodes = observed.case.graph.nodes
    if len(nodes) < _FEWEST_NODES or observed.trial.intent != "valid":
        return set()
    read = {tensor for node in nodes for tensor in node.tensors()}
    return {v.node for v in verdicts if v.stage in ("build", "forward") and v.node in read}


def behind(observed: Observed, verdicts: Sequence[Verdict]) -> Trial | None:
    """The trial with the disputed nodes bridged; None if there is no node to bridge."""
    case = observed.case
    disputed = _disputed(observed, verdicts)
    if not disputed:
        return None
    blamed = {target for verdict in verdicts for target in verdict.blamed}
    for target in _trustworthy(observed, blamed):
        arrays = observed.traces[target].outputs()
        if disputed <= set(arrays):
            values = {name: arrays[name] for name in sorted(disputed)}
            return observed.trial.plain().asking(_behind(case, values))
    return None


def _trustworthy(observed: Observed, blamed: set[str]) -> list[str]:
    """Arms whose numbers may be handed on; never the reference, whose are too precise."""
    traces = observed.peers().traces
    targets = [target for target in traces if target != REFERENCE]
    return sorted(targets, key=lambda name: (traces[name].status != "ok", name in blamed))


def _leading_to(case: Case, ends: set[str], without: set[str]) -> tuple[tuple[Node, ...], set[str]]:
    """The nodes that lead to these ends, not through those without, and the names they need."""
    needed, nodes = set(ends), []
    for node in reversed(case.graph.nodes):
        if node.id in needed and node.id not in without:
            nodes.append(node)
            needed.update(map(producer, node.tensors()))
    return tuple(reversed(nodes)), needed


def _behind(case: Case, values: Mapping[str, Array]) -> Case:
    """The case with these results given, and without what only led to them."""
    ends = {producer(tensor) for tensor in case.graph.outputs}
    nodes, needed = _leading_to(case, ends, set(values))
    kept = [item for item in case.graph.inputs if item.name in needed]
    given = [Input(name, array.shape, array.dtype.name) for name, array in values.items()]
    given = [item for item in given if item.name in needed]
    graph = Graph((*kept, *given), nodes, case.graph.outputs)
    recipes = {item.name: case.inputs[item.name] for item in kept}
    explicit = {item.name: Explicit(values[item.name]) for item in given}
    return validate_case(msgspec.structs.replace(case, graph=graph, inputs={**recipes, **explicit}))
