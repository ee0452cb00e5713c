"""The suspect node alone, on identical inputs: what remains is its own."""

from collections.abc import Mapping

from assay.ir import (
    LOSS,
    OPTIMIZER,
    Array,
    Case,
    LossOp,
    Node,
    Trace,
    Verdict,
    loss_node,
    optimizer_node,
    plain_name,
    readers,
)
from assay.ir.transform import loss_case, of_size_one, single_node_case, step_case


def suspects(case: Case, verdict: Verdict) -> tuple[Node, ...]:
    """The nodes a verdict may be about, in the order in which to look at them.

    Any of those that read a tensor may have spoilt its gradient. A failing
    gradient call names no node at all: then the loss and all nodes, from the end.
    """
    nodes = tuple(reversed(case.graph.nodes))
    last = (loss_node(case.loss),) if isinstance(case.loss, LossOp) else ()
    if not verdict.node:
        return (*last, *nodes)
    if verdict.node == OPTIMIZER and case.optimizer is not None:
        return (optimizer_node(case.optimizer),)
    for start in ("gradient:output:", "gradient:input:"):
        if verdict.evidence.where.startswith(start):
            return readers(case, verdict.evidence.where.removeprefix(start))
    return tuple(node for node in (*last, *nodes) if node.id == verdict.node)


def isolate(case: Case, verdict: Verdict, traces: Mapping[str, Trace]) -> Case | None:
    """The blamed node alone, fed what a trustworthy arm fed it; None if that is impossible.

    For a gradient, the node's upstream gradient is handed over too.
    """
    if not verdict.node:
        return None
    if verdict.node == LOSS:
        if not isinstance(case.loss, LossOp):
            return None
        output = f"output:{plain_name(case.graph.outputs[0])}"
        for target in _trustworthy(verdict, traces):
            if output in traces[target].arrays:
                return loss_case(case, traces[target].arrays[output])
        return None
    if verdict.node == OPTIMIZER and case.optimizer is not None:
        return _step(case, verdict, traces)
    if len(case.graph.nodes) == 1 and not isinstance(case.loss, LossOp):
        return case
    node = case.graph.node(verdict.node)
    for target in _trustworthy(verdict, traces):
        tensors = _values(case, traces[target])
        if not all(name in tensors for name in node.tensors()):
            continue
        if verdict.stage != "gradient":
            return single_node_case(case, node.id, tensors)
        upstream = traces[target].arrays.get(f"gradient:output:{node.id}")
        if upstream is not None:
            return single_node_case(case, node.id, tensors, (of_size_one(upstream),))
    return None


def _step(case: Case, verdict: Verdict, traces: Mapping[str, Trace]) -> Case | None:
    """The optimizer alone on the weight it treated wrongly; on all if their gradients count."""
    assert case.optimizer is not None
    for target in _trustworthy(verdict, traces):
        arrays = traces[target].arrays
        weights = sorted(name for name in arrays if name.startswith("weight:"))
        disputed = verdict.evidence.where.replace("update:", "weight:")
        chosen = [disputed] if disputed in arrays else weights[:1]
        pairs = [
            (arrays[name], arrays[f"gradient:{name}"])
            for name in (weights if case.optimizer.coupled else chosen)
        ]
        if pairs:
            return step_case(case.optimizer, pairs)
    return None


def _trustworthy(verdict: Verdict, traces: Mapping[str, Trace]) -> list[str]:
    """Arms whose values may be handed on, the finished and not blamed first.

    Never the reference: its float64 values are no possible input of the others.
    """
    targets = [target for target in traces if target != "reference"]
    return sorted(targets, key=lambda t: (traces[t].status != "ok", t in verdict.blamed))


def _values(case: Case, trace: Trace) -> dict[str, Array]:
    values = case.input_arrays()
    values.update(trace.outputs())
    return values
