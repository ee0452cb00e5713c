"""Which trials must be judged in the order of their indices: those that share an op.

What a hunt remembers of one op (what was explained, what a target died of) has no effect on
another. So trials that share none may be judged in any order, and one that takes long holds
nothing but its kin; equal seeds still give equal findings.
"""

from collections.abc import Iterator
from typing import Any

from assay.ir import Case, LossOp, Trial
from assay.libraries import words


def kin_of(trial: Trial) -> frozenset[str]:
    """The names that make trials kin: what its ops mean, in whatever library's words."""
    return frozenset(_meaning(name) for case in trial.cases for name in _ops(case))


def _meaning(op: str) -> str:
    word = words().get(op)
    return word.means if word is not None and word.means else op


def _ops(case: Case) -> Iterator[str]:
    for node in case.graph.nodes:
        yield node.op
        yield from _inside(node.params)
    if isinstance(case.loss, LossOp):
        yield case.loss.op
    if case.optimizer is not None:
        yield case.optimizer.op


def _inside(value: Any) -> Iterator[str]:
    """Ops among parameters: the layer in a wrapper."""
    if isinstance(value, dict):
        if isinstance(value.get("$op"), str):
            yield value["$op"]
        for item in value.values():
            yield from _inside(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _inside(item)
