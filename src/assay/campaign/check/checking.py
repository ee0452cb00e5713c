"""``check``: one model on several targets, every pair compared, every difference located."""

import itertools
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from assay.campaign.check.accumulated import rounding_explains
from assay.campaign.check.models import LIMITS, Failed, Models
from assay.campaign.check.pairs import Tally, Task, rows, scores, task_of, truth_of
from assay.campaign.check.suspects import Located, locate
from assay.errors import TargetError
from assay.execute import Supervisor
from assay.ir import Array
from assay.ir.check import (
    Check,
    LocalizationMap,
    PairResult,
    Suspect,
    TargetResult,
    UniqueInconsistency,
)
from assay.judge import distances
from assay.models import Dataset, ModelFile, generated, open_data
from assay.targets import REFERENCE, Target

#: Told how far it is: what is being done, how much of how much.
Progress = Callable[[str, int, int], None]


class Request(msgspec.Struct, frozen=True):
    """What to check. ``zoo`` builds the model at ``file.path`` first."""

    title: str
    file: ModelFile | None
    targets: tuple[Target, ...]
    data: str = ""
    instances: int = 16
    seed: int = 0
    preset: str = ""
    percent: float = 0.0
    zoo: str = ""
    zoo_path: str = ""


def check(request: Request, progress: Progress, inspect: Callable[[str], ModelFile]) -> Check:
    """Run the check. ``inspect`` reads the file of a zoo model after it was built."""
    targets = (*request.targets, REFERENCE)
    with Supervisor(targets, LIMITS, standbys=False) as supervisor:
        models = Models(supervisor, targets)
        progress("starting targets", 0, len(request.targets))
        models.start()
        file = request.file
        if file is None:
            progress(f"building zoo:{request.zoo}", 0, 1)
            models.build(request.zoo, request.seed, request.zoo_path)
            file = inspect(request.zoo_path)
        progress("loading the model", 0, len(request.targets))
        models.load(file)
        _require_two(models)
        data = _data(request, file, models)
        return check_loaded(request, models, data, progress)


def _require_two(models: Models) -> None:
    if len(models.names) >= 2:
        return
    reasons = "; ".join(f"{name}: {item.message}" for name, item in models.failures.items())
    raise TargetError(f"a check needs two targets that can run the model. {reasons}")


def _data(request: Request, file: ModelFile, models: Models) -> Dataset:
    inputs = models.spec.inputs
    if request.data:
        return open_data(request.data, inputs)
    return generated(inputs, file.ids, request.instances, request.seed)


class _Accuracy:
    """How often a target is right, where labels are known."""

    def __init__(self) -> None:
        self.top1 = self.top5 = 0
        self.error = 0.0
        self.instances = 0


def check_loaded(request: Request, models: Models, data: Dataset, progress: Progress) -> Check:
    """Check a model that is loaded already."""
    models.forget()
    tallies: dict[tuple[str, str], Tally] = {}
    accuracies = {name: _Accuracy() for name in models.names}
    task: Task | None = None
    labelled = False
    for batch in data.batches():
        progress("running instances", batch.start, data.instances)
        outputs = models.predict(batch.inputs)
        _require_two(models)
        outputs = {name: outputs[name] for name in models.names}
        if task is None:
            task = task_of(next(iter(outputs.values())), batch.count, batch.labels)
        truth = truth_of(task, outputs, batch.labels, batch.count)
        labelled = truth.known
        for pair in itertools.combinations(models.names, 2):
            tally = tallies.setdefault(pair, Tally(task))
            first, second = (outputs[name] for name in pair)
            tally.add(batch.start, batch.inputs, first, second, truth, batch.count)
        if truth.known:
            for name, own in outputs.items():
                _count(accuracies[name], own, truth.labels, truth.values, batch.count)
    progress("running instances", data.instances, data.instances)
    assert task is not None  # a data set has at least one instance
    kept = {pair: tally for pair, tally in tallies.items() if set(pair) <= set(models.names)}
    pairs, maps = _judged(request, models, kept, progress)
    died = any(failure.died for failure in models.failures.values())
    bad = died or any(pair.verdict == "inconsistent" for pair in pairs)
    return Check(
        model=request.title,
        instances=data.instances,
        generated=data.generated,
        task=task,
        preset=request.preset,
        verdict="inconsistent" if bad else "consistent",
        targets=tuple(
            _target(name.name, models, accuracies.get(name.name) if labelled else None, task)
            for name in request.targets
        ),
        pairs=pairs,
        unique_inconsistencies=unique(pairs, maps),
        layers=models.spec.layers,
        weights=models.spec.weights,
        maps=maps,
        cpu_seconds=sum(models.cpu_seconds.values()),
    )


def _count(
    accuracy: _Accuracy, outputs: Sequence[Array], labels: Array | None, values: Array, count: int
) -> None:
    accuracy.instances += count
    ranked = scores(outputs, count)
    if labels is not None and ranked is not None:
        rank = distances.ranks(ranked, labels)
        accuracy.top1 += int((rank == 1).sum())
        accuracy.top5 += int((rank <= 5).sum())
    flat = rows(outputs, count)
    if flat.shape == values.shape:
        accuracy.error += float(distances.mean_deviation(flat, values).sum())


def _target(name: str, models: Models, accuracy: _Accuracy | None, task: Task) -> TargetResult:
    failure = models.failures.get(name, Failed("")).message
    versions = models.versions.get(name, {})
    spent = models.cpu_seconds.get(name, 0.0)
    if failure or accuracy is None or not accuracy.instances:
        return TargetResult(name, versions, failure=failure, cpu_seconds=spent)
    count = accuracy.instances
    classifier = task == "classification"
    return TargetResult(
        name,
        versions,
        top1_accuracy=accuracy.top1 / count if classifier else None,
        top5_accuracy=accuracy.top5 / count if classifier else None,
        mean_absolute_error=None if classifier else accuracy.error / count,
        cpu_seconds=spent,
    )


def _judged(
    request: Request, models: Models, tallies: dict[tuple[str, str], Tally], progress: Progress
) -> tuple[tuple[PairResult, ...], tuple[LocalizationMap, ...]]:
    results, maps = [], []
    suspicious = [pair for pair, tally in tallies.items() if _suspicious(request, tally)]
    # Pairs with the same worst instance one after the other: states are kept for one.
    order = sorted(suspicious, key=lambda pair: tallies[pair].worst()[0])
    located: dict[tuple[str, str], Located] = {}
    for place, pair in enumerate(order):
        progress("locating differences", place, len(order))
        instance, _, inputs = tallies[pair].worst(_kind(request, tallies[pair]))
        located[pair] = _located(request, models, pair, instance, inputs)
    for pair, tally in tallies.items():
        result = _result(request, models, pair, tally, located.get(pair))
        results.append(result)
        found = located.get(pair)
        if result.verdict == "inconsistent" and found is not None and found.map is not None:
            maps.append(found.map)
    return tuple(results), tuple(maps)


def _located(
    request: Request,
    models: Models,
    pair: tuple[str, str],
    instance: int,
    inputs: Sequence[Array],
) -> Located:
    """Where a pair differs. Models that hide their layers are opened only if they must be:
    to compile them again, and their layers alone, costs more than the whole check.
    """
    hidden = any(models.hides_layers(name) for name in pair)
    if request.preset != "cradle" and hidden and rounding_explains(models, pair, instance, inputs):
        return Located(None, None, None, complete=True)
    return locate(models, pair, instance, inputs)


def _over(request: Request, tally: Tally) -> bool:
    """Does the preset's rule call the pair inconsistent?"""
    allowed = request.percent / 100.0 * tally.instances
    return tally.over_class > allowed or tally.over_mad > allowed


def _kind(request: Request, tally: Tally) -> str:
    if request.preset != "cradle":
        return ""
    return "class" if tally.over_class else "mad"


def _suspicious(request: Request, tally: Tally) -> bool:
    if request.preset == "cradle":
        return _over(request, tally)
    return tally.exceeding > 0 or tally.flips > 0


def _result(
    request: Request,
    models: Models,
    pair: tuple[str, str],
    tally: Tally,
    found: Located | None,
) -> PairResult:
    instance, labels, inputs = tally.worst(_kind(request, tally))
    inconsistent, suspect, explanation = False, None, ""
    if found is not None:
        if request.preset == "cradle":
            inconsistent = True
            suspect, explanation = _by_growth(found)
        elif found.suspect is not None:
            inconsistent, suspect = True, found.suspect
        elif tally.flips and not tally.exceeding:
            inconsistent = True
            explanation = (
                f"{tally.flips} predicted labels differ, but no output beyond rounding: "
                "near ties that rounding decides"
            )
        elif not tally.shapes and (
            found.complete or rounding_explains(models, pair, instance, inputs)
        ):
            inconsistent = tally.flips > 0
            explanation = "no layer differs by itself: rounding adds up"
            if tally.flips:
                explanation += f", and decides {tally.flips} near ties"
        elif tally.shapes:
            inconsistent, explanation = True, f"outputs differ in shape: {tally.shapes}"
        else:
            inconsistent = True
            suspect, explanation = _by_growth(found)
    classifier = tally.task == "classification"
    return PairResult(
        targets=pair,
        verdict="inconsistent" if inconsistent else "consistent",
        top1_agreement=tally.agreeing / tally.instances if classifier else None,
        max_abs=tally.max_abs,
        mean_abs=tally.sum_abs / max(1, tally.instances),
        max_rel=tally.max_rel,
        max_ulp=tally.max_ulp,
        d_class_max=tally.d_class_max if classifier else None,
        d_mad_max=tally.d_mad_max,
        share_class=tally.over_class / max(1, tally.instances),
        share_mad=tally.over_mad / max(1, tally.instances),
        histogram=tuple(int(n) for n in tally.histogram) if tally.histogram is not None else (),
        worst=instance,
        labels=labels,
        suspect=suspect,
        explanation=explanation,
    )


_NOT_OPENED = "more than rounding explains; the layers could not be looked into"


def _by_growth(found: Located) -> tuple[Suspect | None, str]:
    """The suspect of the rate of change; what the retrial alone says of it stands beside it."""
    if found.by_growth is None:
        return found.suspect, "" if found.suspect else _NOT_OPENED
    item = found.by_growth
    if found.suspect is not None and found.suspect.layer == item.layer:
        return found.suspect, ""
    suspect = Suspect(item.layer, item.op, item.rate, before=item.before)
    if found.suspect is not None:
        return suspect, f"alone, {found.suspect.layer} is the first layer that differs"
    return suspect, "alone, on identical input, no layer that was tried differs beyond rounding"


def unique(
    pairs: Sequence[PairResult], maps: Sequence[LocalizationMap]
) -> tuple[UniqueInconsistency, ...]:
    """Inconsistent pairs grouped by suspect layer and blame, else by histogram or similar map."""
    groups: list[list[PairResult]] = []
    by_pair = {item.targets: item for item in maps}
    for pair in pairs:
        if pair.verdict == "consistent":
            continue
        for group in groups:
            if _same(group[0], pair, by_pair):
                group.append(pair)
                break
        else:
            groups.append([pair])
    found = []
    for group in groups:
        worst = max(group, key=lambda item: item.max_abs)
        suspect = worst.suspect
        found.append(
            UniqueInconsistency(
                layer=suspect.layer if suspect else "",
                op=suspect.op if suspect else "",
                blamed=suspect.blamed if suspect else (),
                pairs=tuple(item.targets for item in group),
                instance=worst.worst,
            )
        )
    return tuple(found)


def _same(one: PairResult, two: PairResult, maps: dict[tuple[str, str], LocalizationMap]) -> bool:
    if one.suspect and two.suspect:
        blamed = one.suspect.blamed, two.suspect.blamed
        return one.suspect.layer == two.suspect.layer and blamed[0] == blamed[1]
    if one.targets in maps and two.targets in maps:
        return _similarity(maps[one.targets], maps[two.targets]) > 0.99
    return one.histogram == two.histogram


def _similarity(one: LocalizationMap, two: LocalizationMap) -> float:
    """Cosine of the deviations of the layers that both maps show."""
    second = {item.layer: item.deviation for item in two.layers}
    shared = [(item.deviation, second[item.layer]) for item in one.layers if item.layer in second]
    vectors = np.nan_to_num(np.array(shared, dtype="float64").reshape(-1, 2), posinf=1e30)
    norms = np.linalg.norm(vectors, axis=0)
    if not len(shared) or not norms.all():
        return 0.0
    return float(vectors[:, 0] @ vectors[:, 1] / (norms[0] * norms[1]))
