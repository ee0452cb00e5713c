"""Thresholds that a user gives: what was measured beside them, and the verdict they make."""

from collections.abc import Sequence

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.gaps import gap
from assay.ir import Array
from assay.ir.check import Gate, PairResult, TargetResult
from assay.ir.thresholds import Limits, Thresholds, percent, said
from assay.judge.models.bound import counts
from assay.judge.models.tally import Tally, own_rows

_TOP = 5


class Gauge:
    """One pair of targets beside the thresholds, over all batches so far."""

    def __init__(self, thresholds: Thresholds, names: Sequence[str]) -> None:
        self._outputs = [
            _Output(name, thresholds.of(name, place)) for place, name in enumerate(names)
        ]

    def add(self, start: int, first: Sequence[Array], second: Sequence[Array], count: int) -> Array:
        """Count a batch. How many times its limit each instance is apart, 0 where it is inside;
        a predicted label that differs is apart, too.
        """
        sides = zip(first, second, strict=False)
        apart = [
            output.add(
                start,
                own_rows(one, count),
                own_rows(two, count),
                one.ndim == 2 and counts([one], count),
            )
            for output, (one, two) in zip(self._outputs, sides, strict=False)
        ]
        if len(first) != len(second):
            return np.full(max(map(len, apart), default=1), np.inf)
        # An output of all instances together is beyond its limit for each of them.
        return np.asarray(np.maximum.reduce(np.broadcast_arrays(*apart)))

    def gates(self) -> tuple[Gate, ...]:
        """Every threshold with what was measured."""
        return tuple(gate for output in self._outputs for gate in output.gates())


class _Output:
    """One output of a pair."""

    def __init__(self, name: str, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._instances = self._beyond = self._agreeing = self._agreeing5 = 0
        self._furthest = self._ratio = 0.0
        self._worst = -1
        self._labels = True

    def add(self, start: int, first: Array, second: Array, scored: bool) -> Array:
        """See ``Gauge.add``."""
        self._instances += len(first)
        found = gap(first, second)
        if found is None:
            ratio, furthest = np.full(len(first), np.inf), np.inf
        else:
            limits = self._limits
            allowed = (limits.atol or 0.0) + (limits.rtol or 0.0) * found.size
            with np.errstate(divide="ignore", invalid="ignore"):
                each = np.where(found.distance > 0, found.distance / allowed, 0.0)
            ratio = each.max(axis=1, initial=0.0)
            furthest = float(found.distance.max(initial=0.0))
        apart = np.zeros(len(first))
        if self._limits.of_values:
            self._furthest = max(self._furthest, furthest)
            if float(ratio.max(initial=0.0)) > self._ratio:
                self._ratio = float(ratio.max())
                self._worst = start + int(np.argmax(ratio))
            self._beyond += int((ratio > 1).sum())
            apart = np.where(ratio > 1, ratio, 0.0)
        if self._limits.agreement is not None:
            agree = self._agree(first, second, scored)
            apart = np.maximum(apart, np.where(agree, 0.0, 1.0 + np.minimum(ratio, 1.0)))
        return apart

    def _agree(self, first: Array, second: Array, scored: bool) -> Array:
        """Which instances have the same predicted label; NaN beside a number never has."""
        if not scored or first.shape != second.shape or first.shape[1] < 2:
            self._labels = False
            return np.zeros(len(first), bool)
        first, second = (scores.astype("float64") for scores in (first, second))
        same_kind = (np.isnan(first) == np.isnan(second)).all(axis=1)
        one, two = first.argmax(axis=1), second.argmax(axis=1)
        agree: Array = (one == two) & same_kind
        self._agreeing += int(agree.sum())
        top = min(_TOP, first.shape[1])
        best = [np.argsort(-scores, axis=1, kind="stable")[:, :top] for scores in (first, second)]
        near = (best[1] == one[:, None]).any(axis=1) & (best[0] == two[:, None]).any(axis=1)
        self._agreeing5 += int((near & same_kind).sum())
        return agree

    def gates(self) -> list[Gate]:
        """See ``Gauge.gates``."""
        limits, found, count = self._limits, [], max(1, self._instances)
        if limits.of_values:
            where = f", most at instance {self._worst}" if self._beyond else ""
            text = f"|Δ| up to {self._furthest:.3g}; {self._beyond:,} of {count:,} beyond{where}"
            passed = self._beyond == 0
            found.append(Gate("values", self._name, limits.allowed, text, self._ratio, 1.0, passed))
        if limits.agreement is not None:
            if not self._labels:
                raise AssayError(
                    f"agreement of {self._name}: expected scores, one row per instance and one "
                    "column per class; the output has another shape. Leave --min-agreement out, "
                    "or name another output: --min-agreement NAME=99%."
                )
            share, near = self._agreeing / count, self._agreeing5 / count
            text = f"top 1 {_share(share)}, top 5 {_share(near)}; {count - self._agreeing:,} differ"
            allowed = f"agreement {percent(limits.agreement)}"
            passed = share >= limits.agreement
            found.append(
                Gate("agreement", self._name, allowed, text, share, limits.agreement, passed)
            )
        return found


def metric_gates(
    thresholds: Thresholds, first: TargetResult, second: TargetResult
) -> tuple[Gate, ...]:
    """Every metric that has a threshold, of two targets."""
    fields = {"accuracy": "top1_accuracy", "top5": "top5_accuracy", "mae": "mean_absolute_error"}
    found = []
    for name, limit in thresholds.metrics.items():
        one, two = (getattr(item, fields[name]) for item in (first, second))
        if one is None or two is None:
            what = "labels of a regression" if name == "mae" else "a classifier with labels"
            raise AssayError(f"--metric {name} needs {what}: there is none to be measured here.")
        value = abs(one - two) if one != two else 0.0
        text = f"{said(name, one)} and {said(name, two)}, {said(name, value)} apart"
        passed = bool(value <= limit)
        allowed = f"{name} within {said(name, limit)}"
        found.append(Gate(name, "", allowed, text, value, limit, passed))
    return tuple(found)


def within(tally: Tally, gates: Sequence[Gate]) -> bool:
    """Were thresholds given, and all held? Outputs of different shapes hold none."""
    return bool(gates) and not tally.shapes and all(gate.passed for gate in gates)


def decided(result: PairResult, tally: Tally, gates: Sequence[Gate]) -> PairResult:
    """The verdict on a pair by the thresholds; those of them that failed are said.

    A pair of which nothing can be concluded (NaN on both sides, a target that differs from
    itself) stays that, unless a threshold failed.
    """
    if not gates:
        return result
    if not within(tally, gates):
        failed = [gate.threshold for gate in gates if not gate.passed]
        failed = failed or [f"outputs differ in shape: {tally.shapes}"]
        text = "beyond the thresholds: " + "; ".join(failed)
        rounding = tally.explained and result.suspect is None
        also = [text] if result.verdict == "consistent" else [text, result.explanation]
        return msgspec.structs.replace(
            result,
            verdict="inconsistent",
            explanation="; ".join(filter(None, also)),
            category="rounding" if rounding else "bug",
            gates=tuple(gates),
        )
    text = result.explanation
    if result.verdict == "consistent" and not tally.explained:
        times = "" if tally.ratio is None else f", {tally.ratio:.2g} times its bound"
        text = f"within the thresholds, but beyond rounding{times}: check without them to see why"
    return msgspec.structs.replace(result, explanation=text, gates=tuple(gates))


def _share(share: float) -> str:
    """Never 100% unless it is."""
    return "100%" if share == 1 else f"{min(100 * share, 99.99):.4g}%"
