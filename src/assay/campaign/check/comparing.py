"""One loaded model on several targets: every instance run, every pair compared and located."""

import itertools
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Protocol

import msgspec

from assay.campaign.check.models import Failed, Models
from assay.campaign.check.request import Request
from assay.campaign.events import Progressed
from assay.errors import Interrupted, TargetError
from assay.ir import Array
from assay.ir.check import Check, LocalizationMap, Located, PairResult, TargetResult
from assay.judge.models.accumulated import rounding_explains
from assay.judge.models.accuracy import Accuracy
from assay.judge.models.pairs import pair_result
from assay.judge.models.referee import LayerReferee
from assay.judge.models.tally import Tally, Task, Worst, task_of, truth_of
from assay.judge.models.unique import unique
from assay.localize.across import locate_across
from assay.localize.layers import locate
from assay.models import Batch, Dataset
from assay.targets import Target

Pair = tuple[str, str]


class Stop(Protocol):
    """A flag that somebody else may set: ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Is it over?"""
        ...


class Compared(msgspec.Struct, frozen=True):
    """The answer of a check, and what its findings are made of.

    ``worst`` is the most inconsistent instance of each pair, ``fatal`` the batch that a
    target died of.
    """

    check: Check
    worst: Mapping[Pair, Worst]
    fatal: Mapping[str, Batch]


def check_loaded(request: Request, models: Models, data: Dataset) -> Check:
    """Check a model that is loaded already; nothing is told or recorded."""
    comparing = compared(request, models, data, threading.Event())
    while True:
        try:
            next(comparing)
        except StopIteration as ended:
            result: Compared = ended.value
            return result.check


def comparable(models: Models) -> bool:
    """Do two targets hold the model? ``TargetError`` if not, unless the others died of it.

    A death is a finding, also where nobody is left to compare with.
    """
    if len(models.names) >= 2:
        return True
    if models.names and any(failure.died for failure in models.failures.values()):
        return False
    reasons = "; ".join(f"{name}: {item.message}" for name, item in models.failures.items())
    raise TargetError(f"a check needs two targets that can run the model. {reasons}")


def compared(
    request: Request, models: Models, data: Dataset, stop: Stop
) -> Generator[Progressed, None, Compared]:
    """Every instance on every target, every pair compared, every difference located."""
    models.forget()
    tallies: dict[Pair, Tally] = {}
    accuracies = {name: Accuracy() for name in models.names}
    fatal: dict[str, Batch] = {}
    task: Task | None = None
    for batch in data.batches():
        _look_at(stop)
        yield Progressed("running instances", batch.start, data.instances)
        asked = models.names
        outputs = models.predict(batch.inputs)
        dead = [n for n in asked if models.failures.get(n, Failed("")).died]
        fatal |= dict.fromkeys(dead, batch)
        several = comparable(models)
        outputs = {name: outputs[name] for name in models.names}
        if task is None:
            task = task_of(next(iter(outputs.values())), batch.count, batch.labels)
        if not several:
            break
        truth = truth_of(task, outputs, batch.labels, batch.count)
        for pair in itertools.combinations(models.names, 2):
            tally = tallies.setdefault(pair, Tally(task))
            first, second = (outputs[name] for name in pair)
            tally.add(batch.start, batch.inputs, first, second, truth, batch.count)
        if truth.known:
            for name, own in outputs.items():
                accuracies[name].add(own, truth, batch.count)
    yield Progressed("running instances", data.instances, data.instances)
    assert task is not None  # a data set has at least one instance
    kept = {pair: tally for pair, tally in tallies.items() if set(pair) <= set(models.names)}
    pairs, maps = yield from _judged(request, models, kept, stop)
    died = any(failure.died for failure in models.failures.values())
    bad = died or any(pair.verdict == "inconsistent" for pair in pairs)
    result = Check(
        model=request.title,
        instances=data.instances,
        generated=data.generated,
        task=task,
        preset=request.preset,
        verdict="inconsistent" if bad else "consistent",
        targets=tuple(_target(t, models, accuracies, task) for t in request.targets),
        pairs=pairs,
        unique_inconsistencies=unique(pairs, maps),
        layers=models.spec.layers,
        weights=models.spec.weights,
        maps=maps,
        cpu_seconds=sum(models.cpu_seconds.values()),
    )
    return Compared(result, {p: request.rule.worst(t) for p, t in kept.items()}, fatal)


def _look_at(stop: Stop) -> None:
    if stop.is_set():
        raise Interrupted


def _target(
    target: Target, models: Models, accuracies: Mapping[str, Accuracy], task: Task
) -> TargetResult:
    name = target.name
    versions, spent = models.versions.get(name, {}), models.cpu_seconds.get(name, 0.0)
    failure = models.failures.get(name, Failed("")).message
    if failure:
        return TargetResult(name, versions, failure=failure, cpu_seconds=spent)
    return accuracies[name].result(name, versions, task, spent)


def _judged(
    request: Request, models: Models, tallies: Mapping[Pair, Tally], stop: Stop
) -> Generator[Progressed, None, tuple[tuple[PairResult, ...], tuple[LocalizationMap, ...]]]:
    rule = request.rule
    suspicious = [pair for pair, tally in tallies.items() if rule.suspicious(tally)]
    # Pairs with the same worst instance one after the other: states are kept for one.
    order = sorted(suspicious, key=lambda pair: tallies[pair].worst().instance)
    located: dict[Pair, Located] = {}
    for place, pair in enumerate(order):
        _look_at(stop)
        yield Progressed("locating differences", place, len(order))
        worst = rule.worst(tallies[pair])
        located[pair] = _located(request, models, pair, worst.instance, worst.inputs)
    results, maps = [], []
    for pair, tally in tallies.items():
        found, worst = located.get(pair), rule.worst(tally)

        def explained(pair: Pair = pair, worst: Worst = worst) -> bool:
            return rounding_explains(models, pair, worst.instance, worst.inputs)

        result = pair_result(rule, pair, tally, found, explained)
        results.append(result)
        if result.verdict == "inconsistent" and found is not None and found.map is not None:
            maps.append(found.map)
    return tuple(results), tuple(maps)


def _located(
    request: Request, models: Models, pair: Pair, instance: int, inputs: Sequence[Array]
) -> Located:
    """Where a pair differs. Models that hide their layers are opened only if they must be:
    to compile them again, and their layers alone, costs more than the whole check.
    """
    alike = models.alike(*pair)
    hidden = not alike or any(models.hides_layers(name) for name in pair)
    published = request.rule.published
    if not published and hidden and rounding_explains(models, pair, instance, inputs):
        return Located(None, None, None, complete=True)
    referee = LayerReferee(models.votes)
    if not alike:
        return locate_across(models, referee, pair, instance, inputs)
    return locate(models.peers(pair[0]), referee, pair, instance, inputs)
