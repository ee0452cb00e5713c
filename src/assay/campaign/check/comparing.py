"""One loaded model on several targets: every instance run, every pair compared and located."""

import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Protocol

import msgspec

from assay.campaign.check.counting import Counted, Pair
from assay.campaign.check.models import Models
from assay.campaign.check.request import Request
from assay.campaign.events import Progressed
from assay.errors import Interrupted, TargetError
from assay.ir.check import Check, LocalizationMap, Located, ModelVerdict, PairResult, TargetResult
from assay.judge.models.pairs import pair_result
from assay.judge.models.referee import LayerReferee
from assay.judge.models.rules import Rule
from assay.judge.models.tally import Tally, Worst
from assay.judge.models.thresholds import decided, within
from assay.judge.models.unique import unique
from assay.localize.across import locate_across
from assay.localize.layers import locate
from assay.localize.outside import outside
from assay.models import Batch, Dataset


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
    reasons = _reasons({name: item.message for name, item in models.failures.items()})
    raise TargetError(f"a check needs two targets that can run the model. {reasons}")


def _reasons(failures: Mapping[str, str]) -> str:
    """Who cannot, and why: each reason once."""
    named: dict[str, list[str]] = {}
    for name, message in failures.items():
        named.setdefault(message, []).append(name)
    return "; ".join(f"{', '.join(names)}: {message}" for message, names in named.items())


def nobody_missing(request: Request, models: Models) -> None:
    """``TargetError`` if a target that was asked for cannot run the model; deaths are findings."""
    failed = {name: item.message for name, item in models.failures.items() if not item.died}
    if request.named and failed:
        raise TargetError(
            "asked for, but cannot run the model: "
            + _reasons(failed)
            + ". Leave it out of the targets to compare the others."
        )


def compared(
    request: Request, models: Models, data: Dataset, stop: Stop
) -> Generator[Progressed, None, Compared]:
    """Every instance on every target, every pair compared, every difference located."""
    models.forget()
    outputs = request.output_names(models.spec)
    rule = request.rule
    counted = Counted(models, request.thresholds, outputs, request.classifier, rule.cutoffs)
    for place, batch in enumerate(data.batches()):
        _look_at(stop)
        yield Progressed("running instances", batch.start, data.instances)
        counted.run(place, batch)
        nobody_missing(request, models)
        if not place and counted.task is not None:
            rule.check_task(counted.task)
        if not comparable(models):
            break
    yield Progressed("running instances", data.instances, data.instances)
    assert counted.task is not None  # a data set has at least one instance
    pairs, maps = yield from _judged(request, models, counted, stop)
    result = Check(
        model=request.title,
        instances=data.instances,
        generated=data.generated,
        task=counted.task,
        preset=request.preset,
        verdict=_verdict(models, counted, pairs),
        targets=(
            *(counted.result(target.name) for target in request.targets),
            *(TargetResult(name, failure=reason) for name, reason in request.absent.items()),
        ),
        pairs=pairs,
        unique_inconsistencies=unique(pairs, maps),
        layers=models.spec.layers,
        weights=models.spec.weights,
        maps=maps,
        cpu_seconds=sum(models.cpu_seconds.values()),
        left_out=_left_out(models),
        thresholds=str(rule) or str(request.thresholds),
    )
    worst = {pair: rule.worst(tally) for pair, tally in counted.pairs.items()}
    return Compared(result, worst, counted.fatal)


def _left_out(models: Models) -> tuple[str, ...]:
    """The outputs of each file that are no numbers."""
    held = [item for spec in models.held_by(models.names) for item in spec.left_out]
    return tuple(dict.fromkeys(f"{item.name} ({item.dtype})" for item in held))


def _verdict(models: Models, counted: Counted, pairs: Sequence[PairResult]) -> ModelVerdict:
    died = any(failure.died for failure in models.failures.values())
    if died or counted.nondeterministic or any(p.verdict == "inconsistent" for p in pairs):
        return "inconsistent"
    agree = any(pair.verdict == "consistent" for pair in pairs)
    return "consistent" if agree else "nothing to compare"


def _look_at(stop: Stop) -> None:
    if stop.is_set():
        raise Interrupted


def _judged(
    request: Request, models: Models, counted: Counted, stop: Stop
) -> Generator[Progressed, None, tuple[tuple[PairResult, ...], tuple[LocalizationMap, ...]]]:
    rule = request.rule
    shaky = counted.nondeterministic
    gates = {pair: counted.gates(pair) for pair in counted.pairs}
    # Where thresholds were given and hold, they decide, and nothing is looked for.
    suspicious = [
        pair
        for pair, tally in counted.pairs.items()
        if rule.suspicious(tally) and not shaky & set(pair) and not within(tally, gates[pair])
    ]
    # Pairs with the same worst instance one after the other: states are kept for one.
    order = sorted(suspicious, key=lambda pair: rule.worst(counted.pairs[pair]).instance)
    located: dict[Pair, Located] = {}
    for place, pair in enumerate(order):
        _look_at(stop)
        yield Progressed("locating differences", place, len(order))
        located[pair] = _located(rule, models, pair, counted.pairs[pair])
    results, maps = [], []
    for pair, tally in counted.pairs.items():
        found = located.get(pair)
        differing = [name for name in pair if name in shaky]
        result = decided(pair_result(rule, pair, tally, found, differing), tally, gates[pair])
        results.append(result)
        if result.verdict == "inconsistent" and found is not None and found.map is not None:
            maps.append(found.map)
    return tuple(results), tuple(maps)


def _located(rule: Rule, models: Models, pair: Pair, tally: Tally) -> Located:
    """Where a pair differs. Models that hide their layers are opened only if they must be:
    to compile them again, and their layers alone, costs more than the whole check.
    """
    alike = models.alike(*pair)
    hidden = not alike or any(models.hides_layers(name) for name in pair)
    if not rule.published and hidden and tally.exceeding and tally.explained:
        return Located(None, None, None, complete=True)
    worst, referee = rule.worst(tally), LayerReferee(models.votes)
    if not alike:
        return locate_across(models, referee, pair, worst.instance, worst.inputs)
    peers = models.peers(pair[0])
    found = locate(peers, referee, pair, worst.instance, worst.inputs)
    if found.suspect is not None or tally.explained:
        return found
    left = outside(peers, referee, pair, worst.instance, worst.inputs)
    if left is not None:
        return msgspec.structs.replace(found, outside=left)
    return locate(peers, referee, pair, worst.instance, worst.inputs, thorough=True)
