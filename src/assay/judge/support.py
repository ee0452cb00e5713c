"""What speaks for the reference when every implementation contradicts it.

Where independent implementations agree and only the reference dissents, the
reference is presumed wrong, unless something else says what it says: the
documentation (an entry of ``documented.toml``), or the implementations
themselves when the same question is put to them in another way.
"""

import fnmatch
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
import numpy as np

from assay.ir import Argument, Array, Case, Explicit, Node, Parameters, Trace, Verdict
from assay.judge._base import REFERENCE, Observed
from assay.judge._entries import Entry, read_entries
from assay.judge.compare import difference

_FILE = "documented.toml"


class Documented(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A result that the documentation defines: what it says there, in words or a formula.

    ``op`` holds shell patterns; with ``params`` only calls are covered that give
    one of these parameters one of these values (any value, if none is listed).
    Inputs must be finite.
    """

    op: tuple[str, ...]
    params: dict[str, tuple[Any, ...]] = msgspec.field(default_factory=dict)

    def speaks_of(self, node: Node) -> bool:
        """Is this call what the documentation speaks of?"""
        return any(fnmatch.fnmatchcase(node.op, pattern) for pattern in self.op) and (
            not self.params
            or any(
                name in node.params and (not values or node.params[name] in values)
                for name, values in self.params.items()
            )
        )


@cache
def documented() -> tuple[Documented, ...]:
    """Every entry of the data file."""
    text = resources.files("assay.judge").joinpath(_FILE).read_text(encoding="utf-8")
    return read_entries(text, _FILE, "documented", Documented)


#: Cases that differ in their inputs only, on one target; no traces if it was lost.
Run = Callable[[Sequence[Case], str], Sequence[Trace]]


class Equivalent(msgspec.Struct, frozen=True):
    """The same question put in another way.

    ``restore`` turns its answer into the answer to the original question, of
    which ``part`` is compared.
    """

    why: str
    case: Case
    restore: Callable[[Array], Array]
    part: Callable[[Array], Array]


class Support(msgspec.Struct, frozen=True):
    """Why the reference is believed, and who contradicts it then."""

    reason: str
    blamed: tuple[str, ...]


def support(observed: Observed, verdict: Verdict, run: Run) -> Support | None:
    """What speaks for a reference that dissents alone, if anything does."""
    others = tuple(target for target in verdict.targets if target != REFERENCE)
    case = observed.case
    if len(case.graph.nodes) != 1 or not _finite(case):
        return None
    (node,) = case.graph.nodes
    for entry in documented():
        if entry.speaks_of(node) and all(
            entry.applies_to(observed.platforms.get(target)) for target in others
        ):
            reason = f"the documentation and Assay's reference agree: {entry.reason}"
            return Support(reason, others)
    if verdict.stage != "forward":
        return None
    for equivalent in equivalents(case, verdict.evidence.position):
        if _holds(equivalent, observed, verdict.evidence.where, others, run):
            return Support(f"{equivalent.why}, and Assay's reference agrees with that", others)
    return None


def equivalents(case: Case, position: Sequence[int]) -> list[Equivalent]:
    """Ways to ask a single node's question again: its axis last, or one sample alone."""
    return [item for item in (_axis_last(case), _one_sample(case, position)) if item is not None]


def _axis_last(case: Case) -> Equivalent | None:
    """Positional tensors of one shape with the axis moved to the end; others stay."""
    (node,) = case.graph.nodes
    names = frozenset(name for item in node.inputs for name in _listed(item))
    axis = node.params.get("axis")
    if isinstance(axis, list) and len(axis) == 1:
        (axis,) = axis
    shapes = {item.shape for item in case.graph.inputs if item.name in names}
    if type(axis) is not int or len(shapes) != 1:
        return None
    (shape,) = shapes
    if not -len(shape) <= axis < len(shape) - 1 or axis == -1:
        return None
    params = {**node.params, "axis": -1}
    moved = _with_inputs(case, params, names, lambda x: np.moveaxis(x, axis, -1))
    return Equivalent(
        f"with axis {axis} moved to the end each gives another result",
        moved,
        lambda x: np.moveaxis(x, -1, axis) if x.ndim == len(shape) else x,
        lambda x: x,
    )


def _one_sample(case: Case, position: Sequence[int]) -> Equivalent | None:
    """The sample of a batch that differs, alone: a layer does not mix samples."""
    (node,) = case.graph.nodes
    batches = {item.shape[0] if item.shape else 0 for item in case.graph.inputs}
    layer = node.op.startswith("keras.layers.") and not case.training
    if not layer or len(batches) != 1 or min(batches) < 2 or not position:
        return None
    sample = slice(position[0], position[0] + 1)
    return Equivalent(
        f"sample {position[0]} alone gives another result than in its batch",
        _with_inputs(case, node.params, frozenset(case.inputs), lambda x: x[sample]),
        lambda x: x,
        lambda x: x[sample],
    )


def _listed(argument: Argument) -> tuple[str, ...]:
    return (argument,) if isinstance(argument, str) else argument


def _with_inputs(
    case: Case, params: Parameters, names: frozenset[str], change: Callable[[Array], Array]
) -> Case:
    """The single node with other parameters, and these inputs changed."""
    (node,) = case.graph.nodes
    arrays = {
        name: np.ascontiguousarray(change(array)) if name in names else array
        for name, array in case.input_arrays().items()
    }
    inputs = tuple(
        msgspec.structs.replace(item, shape=arrays[item.name].shape) for item in case.graph.inputs
    )
    nodes = (msgspec.structs.replace(node, params=params),)
    graph = msgspec.structs.replace(case.graph, inputs=inputs, nodes=nodes)
    recipes = {name: Explicit(array) for name, array in arrays.items()}
    return msgspec.structs.replace(case, graph=graph, inputs=recipes, loss=None, stage="forward")


def _holds(
    equivalent: Equivalent,
    observed: Observed,
    where: str,
    others: Sequence[str],
    run: Run,
) -> bool:
    """Does every implementation, asked the other way, answer as the reference did?"""
    truth = observed.traces[REFERENCE].arrays[where]
    for target in others:
        answers = [
            trace.arrays[where]
            for trace in run((equivalent.case,), target)
            if where in trace.arrays
        ]
        if not answers:
            return False
        answer = equivalent.restore(answers[0])
        if difference(answer, equivalent.part(truth).astype(answer.dtype)) is not None:
            return False
    return True


def _finite(case: Case) -> bool:
    arrays = case.input_arrays().values()
    return all(np.isfinite(array).all() for array in arrays if array.dtype.kind in "fc")
