"""Numbers on the way to a result that the documentation defines, and that no format may hold."""

import fnmatch
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
import numpy as np

from assay.ir import REFERENCE, Case, Graph, Node, Verdict
from assay.ir.transform import forward_only, with_arrays
from assay.judge._base import Observed, Run
from assay.judge.entries import Entry, read_entries

_FILE = "intermediates.toml"
_NAME = "intermediate"


class Intermediate(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number that the documentation of an op defines on the way to its result.

    ``op`` holds shell patterns; with ``params`` only calls are covered that give one of these
    parameters one of these values. The number is what ``through`` gives, in the words of the
    vocabulary, for the first ``takes`` tensors of the call, with the parameters ``given``; without
    a name, what the call itself gives with these parameters instead of its own. ``shared``: the
    axis along which each element of a shorter tensor belongs to several of the first one.
    """

    op: tuple[str, ...]
    params: dict[str, tuple[Any, ...]] = msgspec.field(default_factory=dict)
    through: str = ""
    takes: int = 1
    shared: int | None = None
    given: dict[str, Any] = msgspec.field(default_factory=dict)

    def speaks_of(self, node: Node) -> bool:
        """Is this call what the documentation speaks of?"""
        return any(fnmatch.fnmatchcase(node.op, pattern) for pattern in self.op) and (
            not self.params
            or any(node.params.get(name) in values for name, values in self.params.items())
        )

    def case(self, case: Case) -> Case:
        """The case that gives this number for the only call of another."""
        (node,) = case.graph.nodes
        if self.through:
            names = tuple(node.tensors())[: self.takes]
            case = self._spread(case, names)
            found = Node(_NAME, self.through, names, self.given)
        else:
            found = msgspec.structs.replace(node, id=_NAME, params={**node.params, **self.given})
        graph = Graph(case.graph.inputs, (found,), (_NAME,))
        return forward_only(msgspec.structs.replace(case, graph=graph))

    def _spread(self, case: Case, names: Sequence[str]) -> Case:
        """The case with what is shared repeated for each that shares it."""
        arrays, spread, axis = case.input_arrays(), {}, self.shared
        for name in names[1:] if axis is not None else ():
            length, own = arrays[names[0]].shape[axis], arrays[name].shape[axis]
            if own and own < length:
                spread[name] = arrays[name].repeat(length // own, axis)
        return with_arrays(case, spread)


@cache
def intermediates() -> tuple[Intermediate, ...]:
    """Every entry of the data file."""
    text = resources.files("assay.judge").joinpath(_FILE).read_text(encoding="utf-8")
    return read_entries(text, _FILE, "intermediate", Intermediate)


def leaves_the_format(observed: Observed, verdict: Verdict, run: Run) -> Intermediate | None:
    """The number of a call's definition that is too large for the format, if there is one.

    By the reference, of finite inputs. What only a formula makes on its way is no such number.
    """
    case = observed.case
    floats = [array for array in case.input_arrays().values() if array.dtype.kind == "f"]
    if len(case.graph.nodes) != 1 or not all(np.isfinite(array).all() for array in floats):
        return None
    (node,) = case.graph.nodes
    targets = [name for name in verdict.targets if name != REFERENCE]
    largest = min((float(np.finfo(array.dtype).max) for array in floats), default=np.inf)
    for entry in intermediates():
        platforms = [observed.platforms.get(name) for name in targets]
        if not entry.speaks_of(node) or not all(map(entry.applies_to, platforms)):
            continue
        for trace in run((entry.case(case),), REFERENCE):
            for array in trace.outputs().values():
                if np.isfinite(array).all() and (np.abs(array) > largest).any():
                    return entry
    return None
