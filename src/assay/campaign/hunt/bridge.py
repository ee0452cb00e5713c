"""Around nodes that are disputed: what is behind them, and the gradients before them.

Behind a node on which arms differ nothing can be compared, and an arm that
raises computes no further. With the results of disputed nodes as inputs, all
arms go on from the same numbers. Nor do gradients come back past such a node:
the part of the model before it gets an upstream gradient of its own.
"""

from collections.abc import Sequence

from assay.ir import REFERENCE, Trial, Verdict
from assay.ir.transform import part_before, part_behind
from assay.judge import Observed

#: Shorter chains are soon drawn again.
_FEWEST_NODES = 5


def before(observed: Observed, verdicts: Sequence[Verdict]) -> Trial | None:
    """The part of a model that disputed nodes read from, with its gradients; None if nothing."""
    if observed.case.stage not in ("gradient", "update"):
        return None
    part = part_before(observed.case, _disputed(observed, verdicts))
    if part is None:
        return None
    return observed.trial.plain().asking(part)


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
    disputed = _disputed(observed, verdicts)
    if not disputed:
        return None
    blamed = {target for verdict in verdicts for target in verdict.blamed}
    for target in _trustworthy(observed, blamed):
        arrays = observed.traces[target].outputs()
        if disputed <= set(arrays):
            values = {name: arrays[name] for name in sorted(disputed)}
            return observed.trial.plain().asking(part_behind(observed.case, values))
    return None


def _trustworthy(observed: Observed, blamed: set[str]) -> list[str]:
    """Arms whose numbers may be handed on; never the reference, whose are too precise."""
    traces = observed.peers().traces
    targets = [target for target in traces if target != REFERENCE]
    return sorted(targets, key=lambda name: (traces[name].status != "ok", name in blamed))
