"""The suspect node alone, on identical inputs: what remains is its own."""

from collections.abc import Mapping

from assay.ir import Array, Case, Trace, Verdict, single_node_case


def isolate(case: Case, verdict: Verdict, traces: Mapping[str, Trace]) -> Case | None:
    """The blamed node alone, fed what a trustworthy arm fed it; None if that is impossible.

    For a gradient, the node's upstream gradient is handed over too.
    """
    if not verdict.node or verdict.node == "loss":
        return None
    if len(case.graph.nodes) == 1:
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
            return single_node_case(case, node.id, tensors, (upstream,))
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
