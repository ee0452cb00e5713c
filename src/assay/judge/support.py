"""What speaks for the reference when every implementation contradicts it.

Where independent implementations agree and only the reference dissents, the
reference is presumed wrong, unless something else says what it says: the
documentation (an entry of ``documented.toml``), or the implementations
themselves when the same question is put to them in another way.
"""

import fnmatch
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
import numpy as np

from assay.ir import REFERENCE, Case, Node, Verdict
from assay.ir.transform import Equivalent, equivalents
from assay.judge._base import Observed, Run
from assay.judge.compare import difference
from assay.judge.entries import Entry, read_entries
from assay.judge.idle import idle_parameter
from assay.judge.limits import spoilt_by_nothing, tending

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


class Support(msgspec.Struct, frozen=True):
    """Why the reference is believed, and who contradicts it then."""

    reason: str
    blamed: tuple[str, ...]


def support(observed: Observed, verdict: Verdict, run: Run) -> Support | None:
    """What speaks for a reference that dissents alone, if anything does."""
    others = tuple(target for target in verdict.targets if target != REFERENCE)
    case = observed.case
    wrong = tending(observed, verdict, others, run) if verdict.stage == "forward" else ()
    if wrong:
        names = "all targets" if len(wrong) == len(others) else ", ".join(wrong)
        reason = f"as the numbers that are infinite grow, {names} tend to the reference's answer"
        return Support(reason, wrong)
    wrong = spoilt_by_nothing(observed, verdict, others, run) if verdict.stage == "forward" else ()
    if wrong:
        reason = "whatever numbers stand for NaN, all give there the number that goes in"
        return Support(reason, wrong)
    if _of_nothing(observed, verdict, others):
        reason = "no number goes in that could overflow, and the reference gives a small one"
        return Support(reason, others)
    idle = idle_parameter(observed, verdict, others, run)
    if idle:
        reason = f"{idle} has no effect at all: the reference gives what all give without it"
        return Support(reason, others)
    # A formula says nothing of special values; of the shape of a result it does.
    if len(case.graph.nodes) != 1 or not (verdict.evidence.message or _finite(case)):
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


def _of_nothing(observed: Observed, verdict: Verdict, targets: Sequence[str]) -> bool:
    """NaN or infinity of whole numbers or of nothing, where a number as small as these is due."""
    where, position = verdict.evidence.where, verdict.evidence.position
    truth = observed.traces[REFERENCE].arrays.get(where)
    inputs = observed.case.input_arrays().values()
    if verdict.kind != "nan" or verdict.stage != "forward" or truth is None:
        return False
    if any(array.size and array.dtype.kind not in "iub" for array in inputs):
        return False
    given = [observed.traces[name].arrays[where] for name in targets]
    largest = max((float(np.abs(array).max(initial=1)) for array in inputs), default=1.0)
    return bool(np.abs(truth[position]) <= largest) and not any(
        np.isfinite(array[position]) for array in given
    )


def _finite(case: Case) -> bool:
    arrays = case.input_arrays().values()
    return all(np.isfinite(array).all() for array in arrays if array.dtype.kind in "fc")
