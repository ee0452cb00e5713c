"""An invalid value that is accepted and does no harm: ignored, or nothing comes of nothing."""

from typing import Any

from assay.ir import Case, Trace, Verdict
from assay.ir.transform import without_parameters
from assay.judge._base import Observed, Run
from assay.judge.compare import difference

#: Draws are judged by their properties, which hold of others, too.
_RANDOM = ("keras.random.", "keras.layers.Random", "keras.layers.Dropout", "keras.layers.Gaussian")


def harmless(observed: Observed, verdict: Verdict, run: Run) -> str:
    """Why what they accept does no harm; empty if it does, or nobody knows.

    A name (of a mode, say) that is ignored asked for something else.
    """
    parameter = observed.trial.spoilt
    accepting = [name for name in verdict.blamed if observed.traces[name].status == "ok"]
    node = next((item for item in observed.case.graph.nodes if item.id == verdict.node), None)
    if node is None or not accepting or len(accepting) < len(verdict.blamed):
        return ""
    if not _numeric({**node.params, **node.arguments}.get(parameter)):
        return ""
    if _of_nothing(observed, accepting):
        return "nothing goes in, and nothing comes out"
    if verdict.op.startswith(_RANDOM):
        return ""
    plain = without_parameters(observed.case, node, [parameter], [parameter])
    ignored = all(_gives(plain, observed.traces[name], name, run) for name in accepting)
    return "it is ignored" if ignored else ""


def _of_nothing(observed: Observed, accepting: list[str]) -> bool:
    inputs = observed.case.input_arrays().values()
    outputs = [array for name in accepting for array in observed.traces[name].outputs().values()]
    return any(not array.size for array in inputs) and not any(array.size for array in outputs)


def _numeric(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_numeric, value))
    return isinstance(value, (int, float))


def _gives(case: Case, trace: Trace, target: str, run: Run) -> bool:
    """Does a target give the same for a case as it did for another?"""
    mine = trace.outputs()
    for other in run((case,), target):
        theirs = other.outputs()
        return (
            bool(mine)
            and mine.keys() == theirs.keys()
            and all(difference(mine[name], theirs[name]) is None for name in mine)
        )
    return False
