"""Every instance on every target: what is counted of it, pair by pair and target by target."""

import itertools
from collections.abc import Sequence

import msgspec
import numpy as np

from assay.campaign.check.models import Failed, Models
from assay.ir import Array
from assay.ir.check import Gate, TargetResult
from assay.ir.thresholds import NONE, Thresholds
from assay.judge.models.accuracy import Accuracy
from assay.judge.models.bound import BASES, Bounds, changes
from assay.judge.models.specials import Specials
from assay.judge.models.tally import Cutoffs, Tally, Task, task_of, truth_of
from assay.judge.models.thresholds import Gauge, metric_gates
from assay.models import Batch

Pair = tuple[str, str]
Outputs = dict[str, list[Array]]
#: How often the first batch runs on every target; then, every so many batches, one runs twice.
FIRST_RUNS = 3
REPEATED = 10
#: So many instances run on a target that is a hundred times slower than others.
SLOW_INSTANCES = 4


class Counted:
    """What is known of a model's targets after some batches; it does not grow with the data.

    ``fatal`` is the batch that a target died of.
    """

    def __init__(
        self,
        models: Models,
        thresholds: Thresholds = NONE,
        outputs: Sequence[str] = (),
        classifier: bool = False,
        cutoffs: Cutoffs | None = None,
    ) -> None:
        self._models = models
        self._cutoffs = cutoffs or Cutoffs()
        self._thresholds, self._names = thresholds, outputs
        self._classifier = classifier or thresholds.classify
        self._gauges: dict[Pair, Gauge] = {}
        #: A regression until an answer tells; ``_known`` says whether one did.
        self.task: Task | None = None
        self._known = False
        self.fatal: dict[str, Batch] = {}
        self._pairs: dict[Pair, Tally] = {}
        self._itself: dict[str, Tally] = {}
        self._accuracies: dict[str, Accuracy] = {}
        self._specials: dict[str, Specials] = {}
        self._instances: dict[str, int] = {}

    def run(self, place: int, batch: Batch) -> None:
        """Run a batch on all targets, some more than once, and count it.

        Slow targets run the first ``SLOW_INSTANCES`` only, where two others run all, and no
        thresholds were given, which are for all instances.
        """
        names = self._models.names
        others = [name for name in names if not self._models.slow(name)]
        left = max(0, SLOW_INSTANCES - batch.start)
        everybody = self._thresholds.given or len(others) in (0, 1, len(names))
        if everybody or batch.count <= left:
            self._run(place, batch, names)
            return
        if left:
            self._run(place, _part(batch, 0, left), names)
        self._run(place, _part(batch, left, batch.count), others)

    def _run(self, place: int, batch: Batch, names: Sequence[str]) -> None:
        outputs, again = self._outputs(place, batch, names)
        self._look_at_task(batch, outputs)
        if self.task is None or len(outputs) < 2:
            return
        truth = truth_of(self.task, outputs, batch.labels, batch.count)
        changed = {
            name: others
            for name, mine in outputs.items()
            if (others := [o[name] for o in again if name in o and _differ(mine, o[name])])
        }
        unsteady = {
            n for n, others in changed.items() if any(changes(outputs[n], o) for o in others)
        }
        bases = self._models.bases(unsteady | self.nondeterministic, BASES)
        bounds = Bounds(self._models, bases, batch.inputs, batch.count)

        def add(
            tally: Tally,
            first: list[Array],
            second: list[Array],
            measured: bool,
            gated: Array | None = None,
        ) -> None:
            def ratios(asked: Array) -> Array:
                return bounds.ratios(first, second, asked)

            asked = ratios if measured else None
            tally.add(batch.start, batch.inputs, first, second, truth, batch.count, asked, gated)

        for name, others in changed.items():
            for other in others:
                tally = self._itself.setdefault(name, Tally(self.task))
                add(tally, outputs[name], other, measured=True)
        shaky = self.nondeterministic
        for pair in itertools.combinations(outputs, 2):
            tally = self._pairs.setdefault(pair, Tally(self.task, self._cutoffs))
            first, second = (outputs[name] for name in pair)
            gated = self._gauged(pair, batch, first, second)
            # Nothing follows from a target that differs from itself: no need to measure.
            add(tally, first, second, not shaky & set(pair), gated)
        for name, own in outputs.items():
            self._specials.setdefault(name, Specials()).add(own)
            if truth.known:
                self._accuracies.setdefault(name, Accuracy()).add(own, truth, batch.count)

    def _look_at_task(self, batch: Batch, outputs: Outputs) -> None:
        """What the model does, by the first target whose answers tell: those with NaN do not."""
        if self._known or not outputs:
            return
        tasks = (
            task_of(own, batch.count, batch.labels, self._classifier) for own in outputs.values()
        )
        found = next((task for task in tasks if task is not None), None)
        self._known = found is not None
        self.task = found or "regression"
        if found == "classification":
            for tally in (*self._pairs.values(), *self._itself.values()):
                tally.classify()

    def _gauged(
        self, pair: Pair, batch: Batch, first: Sequence[Array], second: Sequence[Array]
    ) -> Array | None:
        if not self._thresholds.given:
            return None
        gauge = self._gauges.setdefault(pair, Gauge(self._thresholds, self._names))
        return gauge.add(batch.start, first, second, batch.count)

    def gates(self, pair: Pair) -> tuple[Gate, ...]:
        """The thresholds that were given, and what was measured of a pair."""
        if pair not in self._gauges:
            return ()
        first, second = (self.result(name) for name in pair)
        return (*self._gauges[pair].gates(), *metric_gates(self._thresholds, first, second))

    def _outputs(
        self, place: int, batch: Batch, names: Sequence[str]
    ) -> tuple[Outputs, list[Outputs]]:
        """The outputs of these targets, and what they gave when they ran again."""
        outputs = self._models.predict(batch.inputs, names)
        more = FIRST_RUNS - 1 if not place else int(place % REPEATED == 0)
        again = [self._models.predict(batch.inputs, names) for _ in range(more) if outputs]
        dead = [n for n in names if self._models.failures.get(n, Failed("")).died]
        self.fatal |= dict.fromkeys(dead, batch)
        left = [name for name in self._models.names if name in outputs]
        for name in left:
            self._instances[name] = self._instances.get(name, 0) + batch.count
        return {name: outputs[name] for name in left}, again

    @property
    def pairs(self) -> dict[Pair, Tally]:
        """The pairs of targets that ran to the end."""
        names = set(self._models.names)
        return {pair: tally for pair, tally in self._pairs.items() if set(pair) <= names}

    @property
    def nondeterministic(self) -> set[str]:
        """The targets that differ from themselves beyond rounding."""
        return {name for name, tally in self._itself.items() if not tally.explained}

    def result(self, name: str) -> TargetResult:
        """What is known of one target."""
        versions = self._models.versions.get(name, {})
        spent = self._models.cpu_seconds.get(name, 0.0)
        failure = self._models.failures.get(name, Failed("")).message
        if failure or name not in self._specials or self.task is None:
            return TargetResult(name, versions, failure=failure, cpu_seconds=spent)
        ran = self._instances[name]
        # An accuracy on few instances is not to be compared with one on all.
        whole = ran == max(self._instances.values())
        accuracy = self._accuracies.get(name, Accuracy()) if whole else Accuracy()
        found = accuracy.result(name, versions, self.task, spent)
        itself = self._itself.get(name)
        outputs = [item.name for item in self._models.specs[name].outputs]
        return msgspec.structs.replace(
            found,
            itself=itself.max_abs if itself else 0.0,
            nondeterministic=name in self.nondeterministic,
            special=self._specials[name].result(outputs),
            instances=ran,
            coarse=self._models.specs[name].coarse,
        )


def _part(batch: Batch, start: int, stop: int) -> Batch:
    """Some of the instances of a batch of several, whose arrays all count them."""

    def own(array: Array) -> Array:
        counted = array.ndim and array.shape[0] == batch.count
        return array[start:stop] if counted else array

    return Batch(
        batch.start + start,
        stop - start,
        tuple(map(own, batch.inputs)),
        None if batch.labels is None else own(batch.labels),
    )


def _differ(first: Sequence[Array], second: Sequence[Array]) -> bool:
    """Do two runs differ at all? NaN is NaN."""
    return len(first) != len(second) or not all(
        np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        for a, b in zip(first, second, strict=True)
    )
