"""How often a target is right, where labels are known."""

from collections.abc import Mapping, Sequence

from assay.ir import Array
from assay.ir.check import TargetResult
from assay.judge import distances
from assay.judge.models.tally import Task, Truth, rows, scores


class Accuracy:
    """One target, over all batches so far."""

    def __init__(self) -> None:
        self._top1 = self._top5 = 0
        self._error = 0.0
        self._instances = 0

    def add(self, outputs: Sequence[Array], truth: Truth, count: int) -> None:
        """Count a batch whose truth is known."""
        self._instances += count
        ranked = scores(outputs, count)
        if truth.labels is not None and ranked is not None:
            rank = distances.ranks(ranked, truth.labels)
            self._top1 += int((rank == 1).sum())
            self._top5 += int((rank <= 5).sum())
        flat = rows(outputs, count)
        if flat.shape == truth.values.shape:
            self._error += float(distances.mean_deviation(flat, truth.values).sum())

    def result(
        self, name: str, versions: Mapping[str, str], task: Task, cpu_seconds: float
    ) -> TargetResult:
        """The target's result; without accuracies if no truth was known."""
        if not self._instances:
            return TargetResult(name, dict(versions), cpu_seconds=cpu_seconds)
        count = self._instances
        classifier = task == "classification"
        return TargetResult(
            name,
            dict(versions),
            top1_accuracy=self._top1 / count if classifier else None,
            top5_accuracy=self._top5 / count if classifier else None,
            mean_absolute_error=None if classifier else self._error / count,
            cpu_seconds=cpu_seconds,
        )
