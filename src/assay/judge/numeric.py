"""Oracles for arms that finished with different numbers."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from assay.gaps import SAME_STEP
from assay.ir import (
    NO_ANSWER,
    REFERENCE,
    Array,
    Category,
    Dot,
    Evidence,
    Kind,
    Observation,
    Stage,
    Trace,
    Verdict,
)
from assay.judge._base import HarnessError, Observed, PartOracle
from assay.judge.compare import Difference, coarseness, difference
from assay.judge.failures import finished
from assay.judge.identity import headline
from assay.judge.places import Place, close, places
from assay.judge.voting import Ballot, camps_of, vote


def _check_same_question(traces: dict[str, Trace], part: int) -> None:
    """Raise ``HarnessError`` if finished arms were not asked the same question.

    ``part`` 0 of a digest covers inputs and weights, 1 labels and upstream
    gradients. Both follow the shapes of outputs: where those differ, that is the
    finding, and arms are compared no further.
    """
    asked: list[tuple[str, str]] = []
    for target, trace in traces.items():
        digest = trace.digest.partition(":")[2 * part]
        for other, earlier in asked:
            if digest and digest != earlier and _same_shapes(trace, traces[other]):
                what = ("inputs or weights", "labels or upstream gradients")[part]
                raise HarnessError(f"{other} and {target} used different {what}")
        if digest:
            asked.append((target, digest))


def _same_shapes(first: Trace, second: Trace) -> bool:
    outputs, others = first.outputs(), second.outputs()
    return all(outputs[name].shape == others[name].shape for name in outputs if name in others)


#: What an arm gives whose gradient is cut: the worker compares it as zeros.
NO_GRADIENT = "no gradient (None)"


def element(array: Array, position: tuple[int, ...]) -> float:
    """The element there; of a complex one the absolute value, of an empty array NaN."""
    if not array.size:
        return float("nan")
    element = array[position] if position else array.reshape(-1)[0]
    return float(abs(element) if array.dtype.kind == "c" else element)


def stage_of(array: str) -> Stage:
    """The stage that an array belongs to, by its name."""
    head = array.partition(":")[0]
    stages: dict[str, Stage] = {"loss": "loss", "gradient": "gradient", "update": "update"}
    return stages.get(head, "forward")


class NumericOracle(PartOracle):
    """Finished arms give different numbers: ``nan`` or ``inconsistency``.

    Blames nodes whose inputs agree and whose outputs do not; the loss; and nodes
    whose upstream gradient agrees and whose own gradients do not; and the optimizer.
    """

    name = "numeric"

    def differ(self, first: Array, second: Array, coarse: float = 1.0) -> Difference | None:
        """How two answers differ; None if they are the same."""
        return difference(first, second, coarse)

    def alike(self, first: Array, second: Array, coarse: float = 1.0) -> bool:
        """Is whoever reads the one asked the same as who reads the other?"""
        return close(first, second, coarse)

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """Verdicts on a node, where arms that were asked the same differ, at one place only.

        Those who give the same wrong answer share a verdict; each other wrong answer
        is a fault of its own.
        """
        if observed.trial.intent != "valid":
            return []
        # What an arm computed before it raised counts too.
        traces = {t: trace for t, trace in observed.traces.items() if trace.arrays}
        if len(traces) < 2:
            return []
        ended = {t: trace for t, trace in traces.items() if finished(trace)}
        _check_same_question(ended, 0)
        verdicts: list[Verdict] = []
        blamed: set[str] = set()
        alike = partial(self.alike, coarse=coarseness(observed.case))
        for place in places(observed, traces, alike):
            array = place.array
            if not blamed.isdisjoint(node.id for node in place.suspects):
                continue  # the same fault, in another array of the node
            if array == "loss":
                _check_same_question(ended, 1)
                if isinstance(observed.case.loss, Dot):
                    continue
            if place.agree:
                continue
            if array.startswith("gradient:") and _ill_posed(observed, traces, place):
                continue
            holders = [
                (target, traces[target].arrays[array])
                for target in place.targets
                if array in traces[target].arrays
            ]
            if array.startswith("update:"):
                holders = _asked_alike(holders, traces, array)
            found = self._compare(observed, place, holders, _undecided(traces, array))
            if found:
                verdicts += found
                blamed.update(node.id for node in place.suspects)
        return verdicts

    def _compare(
        self,
        observed: Observed,
        place: Place,
        holders: Sequence[tuple[str, Array]],
        undecided: Array | None,
    ) -> list[Verdict]:
        if undecided is not None:
            # Where the reference claims something it has a vote; elsewhere none.
            claimed = [
                (target, np.where(undecided, np.zeros_like(value), value))
                for target, value in holders
                if value.shape == undecided.shape
            ]
            verdicts = self._compare(observed, place, claimed, None)
            if verdicts:
                return verdicts
            holders = [(target, value) for target, value in holders if target != REFERENCE]
        if len(holders) < 2:
            return []
        values = dict(_in_one_precision(holders))
        coarse = coarseness(observed.case)
        camps = camps_of(list(values.items()), lambda a, b: self.differ(a, b, coarse) is None)
        if len(camps) == 1:
            return []
        ballot = vote(camps, place.suspects[0].op, observed.votes)
        doubted = ballot.camps[1:] if ballot.blamed else ballot.camps[1:2]
        found = [self._verdict(observed, place, values, ballot, camp) for camp in doubted]
        return [verdict for verdict in found if verdict is not None]

    def _verdict(
        self,
        observed: Observed,
        place: Place,
        values: Mapping[str, Array],
        ballot: Ballot,
        doubted: tuple[str, ...],
    ) -> Verdict | None:
        node, array = place.suspects[0], place.array
        right, wrong = values[ballot.camps[0][0]], values[doubted[0]]
        found = self.differ(right, wrong, coarseness(observed.case))
        if found is None:  # camps compare with their first member only
            return None
        # Where everybody else agrees, the reference is presumed wrong.
        category: Category = "convention" if ballot.reference_alone else "bug"
        if ballot.reference_alone and len(ballot.camps) > 2:
            category = "undecided"
        return Verdict(
            oracle=self.name,
            kind=_kind(found),
            stage=stage_of(array),
            category=category,
            op=node.op,
            node=node.id,
            params=node.params,
            targets=tuple(values),
            blamed=tuple(sorted(set(doubted) & set(ballot.blamed))),
            magnitude=found.magnitude,
            evidence=Evidence(
                observations=(
                    *(
                        _observation(observed, place, target, value, found, right)
                        for target, value in values.items()
                    ),
                    *_without_answer(observed, node.op, values),
                ),
                reason=ballot.reason,
                where=array,
                position=found.position,
                tolerance=found.tolerance,
                message=_shape_message(
                    _described(observed, place, doubted[0], wrong),
                    _described(observed, place, ballot.camps[0][0], right),
                    found,
                )
                or _several(place),
                reference_alone=ballot.reference_alone,
                believed=ballot.camps[0] if ballot.blamed else (),
                astray=tuple(name for name in ballot.blamed if name not in doubted),
            ),
        )


def _in_one_precision(holders: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
    """Everyone in the narrowest format among the libraries: what overflows there, overflows.

    The reference computes in float64, and who was asked for half precision may ignore it.
    """
    libraries = [value.dtype for target, value in holders if target != REFERENCE]
    floats = [dtype for dtype in libraries if dtype.kind == "f"]
    if not floats:
        return list(holders)
    narrow = min(floats, key=lambda dtype: dtype.itemsize)
    with np.errstate(over="ignore", invalid="ignore"):
        return [
            (target, value.astype(narrow))
            if value.dtype.kind == "f" and value.dtype.itemsize > narrow.itemsize
            else (target, value)
            for target, value in holders
        ]


def _shape_message(doubted: str, believed: str, found: Difference) -> str:
    others = believed.removeprefix("shape ")
    return f"{doubted} where others have {others}" if found.what == "shape" else ""


def _described(observed: Observed, place: Place, target: str, value: Array) -> str:
    """The shape of an answer; of several arrays how many there are, since one may be stacked."""
    node = place.suspects[0].id
    names = (f"output:{node}", f"output:{node}:")
    counts = {
        name: sum(array == names[0] or array.startswith(names[1]) for array in trace.arrays)
        for name, trace in observed.traces.items()
    }
    if not place.array.startswith("output:") or len(set(counts.values()) - {0}) < 2:
        return f"shape {list(value.shape)}"
    shape = f"of shape {list(value.shape)}"
    return f"one array {shape}" if counts[target] == 1 else f"a tuple of arrays, the first {shape}"


def _without_answer(observed: Observed, op: str, values: Mapping[str, Array]) -> list[Observation]:
    """The arms that have nothing to compare, and why: nobody is left out without a word."""
    missing = [target for target in observed.traces if target not in values]
    found = []
    for target in missing:
        failure = observed.traces[target].failure
        why = headline(failure) if failure else "was not asked, or has no opinion"
        found.append(Observation(target, observed.votes(target, op), f"{NO_ANSWER}: {why}"))
    return found


def _several(place: Place) -> str:
    """The gradient of a tensor is a sum over all who read it: any of them may be wrong."""
    ops = dict.fromkeys(node.op for node in place.suspects)
    return f"read by {', '.join(ops)}" if len(place.suspects) > 1 else ""


def _ill_posed(observed: Observed, traces: Mapping[str, Trace], place: Place) -> bool:
    """Is an upstream gradient not finite? Zero times infinity is anybody's guess.

    Nor has a node inside of a model a derivative where its numbers are not finite.
    """
    relevant = [f"gradient:output:{node.id}" for node in place.suspects]
    if len(observed.case.graph.nodes) > 1:
        relevant += [f"output:{node.id}" for node in place.suspects]
        relevant += [f"output:{tensor}" for node in place.suspects for tensor in node.tensors()]
    return any(
        name in traces[target].arrays and not _all_finite(traces[target].arrays[name])
        for target in place.targets
        for name in relevant
    )


def _asked_alike(
    holders: Sequence[tuple[str, Array]], traces: Mapping[str, Trace], array: str
) -> list[tuple[str, Array]]:
    """Updated weights, zero where the gradients of arms differ by more than a trifle.

    Many optimizers go by the sign of a gradient, which rounding decides near zero.
    """
    name = f"gradient:weight:{array.removeprefix('update:')}"
    gradients = [traces[target].arrays[name].astype("float64") for target, _ in holders]
    if not all(_all_finite(gradient) for gradient in gradients):
        return []
    lowest, highest = np.minimum.reduce(gradients), np.maximum.reduce(gradients)
    alike = highest - lowest <= SAME_STEP * np.minimum(np.abs(lowest), np.abs(highest))
    return [(target, np.where(alike, value, np.zeros_like(value))) for target, value in holders]


def _all_finite(array: Array) -> bool:
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _kind(found: Difference) -> Kind:
    return "nan" if found.what == "nan" else "inconsistency"


def _observation(
    observed: Observed, place: Place, target: str, value: Array, found: Difference, believed: Array
) -> Observation:
    implementation = observed.votes(target, place.suspects[0].op)
    if f"absent:{place.array}" in observed.traces[target].arrays:
        return Observation(target, implementation, NO_GRADIENT)
    # A third answer may have another shape than the two that were compared.
    within = len(found.position) == value.ndim and np.less(found.position, value.shape).all()
    if found.what == "shape" or not within:
        return Observation(target, implementation, _described(observed, place, target, value))
    number = element(value, found.position)
    summary = f"{number:.9g}"
    own = difference(believed, value)
    here = np.asarray(value[found.position]), np.asarray(believed[found.position])
    if own is not None and own.what != "shape" and difference(*here) is None:
        # Several may be wrong, each in a place of its own.
        wrong, right = element(value, own.position), element(believed, own.position)
        summary += f"; at {list(own.position)} {wrong:.9g} for {right:.9g}"
    return Observation(target, implementation, summary, number)


def _undecided(traces: dict[str, Trace], array: str) -> Array | None:
    """Where the reference claims no gradient, if it claims none somewhere."""
    reference = traces.get(REFERENCE)
    if reference is None:
        return None
    mask = reference.arrays.get("undecided:" + array)
    return mask if mask is not None and bool(np.any(mask)) else None
