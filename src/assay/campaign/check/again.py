"""Is a finding about a model still there? Its file again, on the instance that showed it."""

import os
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from assay.campaign.check.comparing import check_loaded
from assay.campaign.check.models import LIMITS, Failed, Models
from assay.campaign.check.request import Request
from assay.errors import TargetError
from assay.execute import Hello, Supervisor
from assay.ir import Array, Finding
from assay.ir.model import CheckedModel, Held, model_of
from assay.ir.thresholds import Thresholds
from assay.models import Batch, Dataset, ModelError, ModelFile, inspect, sha256_of
from assay.targets import REFERENCE, Target, resolve


def same_files(finding: Finding) -> tuple[ModelFile, dict[str, ModelFile]]:
    """The file of a finding about a model, and which each arm holds if there are several.

    ``ModelError`` if one is gone or another one now.
    """
    model = _model(finding)
    return _same(finding, model), {name: _same(finding, held) for name, held in model.arms.items()}


def _same(finding: Finding, model: CheckedModel | Held) -> ModelFile:
    if not os.path.exists(model.path):
        raise ModelError(
            f"the model of {finding.id} is gone: {model.path}. Put the file back, or check "
            "another copy with: assay check MODEL"
        )
    found = sha256_of(model.path)
    if found != model.sha256:
        raise ModelError(
            f"{model.path} is not the file any more that {finding.id} was found in: expected "
            f"sha256 {model.sha256[:12]}…, received {found[:12]}…. Check it as it is now with: "
            "assay check"
        )
    return inspect(model.path, model.trust, model.architecture)


def _arms(finding: Finding, model: CheckedModel, known: Mapping[str, Target]) -> tuple[Target, ...]:
    """The finding's targets, under the names of its arms.

    With the prelude of the check, where the configuration has none.
    """
    found = []
    for name in finding.targets:
        own = model.arms[name].target if name in model.arms else name
        (target,) = resolve([own], known)
        place = model.places.get(name)
        prelude = target.prelude or (place.prelude if place else "")
        found.append(msgspec.structs.replace(target, name=name, prelude=prelude))
    return tuple(found)


def replay_model(
    finding: Finding, known: Mapping[str, Target], attempts: int
) -> tuple[list[frozenset[str] | None], dict[str, Hello]]:
    """On whom of those it blames each of ``attempts`` runs shows the finding, judged as the
    check did, None where it does not; and who answered.

    ``TargetError`` if a target of the finding cannot run the model.
    """
    model, (file, others) = _model(finding), same_files(finding)
    targets = _arms(finding, model, known)
    everyone = (*targets, REFERENCE)
    with Supervisor(everyone, LIMITS, standbys=False) as supervisor:
        models = Models(supervisor, everyone)
        models.start()
        models.load(file, others)
        for name, failure in models.failures.items():
            if finding.kind != "crash" or name not in finding.blamed:
                raise TargetError(f"{name}: {failure.message}")
        inputs = tuple(finding.case.input_arrays().values())
        if finding.kind == "crash":
            dying = (_dies(finding, models, inputs) for _ in range(attempts))
            shown = [frozenset(finding.blamed) if died else None for died in dying]
        else:
            request = Request(
                title=model.title,
                file=file,
                targets=targets,
                preset=model.preset,
                percent=model.percent,
                metrics=model.metrics,
                top_k=model.top_k,
                thresholds=_thresholds(model),
                classifier=model.classifier,
            )
            data = _instance(model, inputs)
            shown = [_differs(finding, request, models, data) for _ in range(attempts)]
        return shown, models.hellos


def _model(finding: Finding) -> CheckedModel:
    model = model_of(finding.case)
    assert model is not None  # callers look first
    return model


def _thresholds(model: CheckedModel) -> Thresholds:
    """Those of the check; a metric cannot be measured again without the label."""
    if model.labels is not None:
        return model.thresholds
    return msgspec.structs.replace(model.thresholds, metrics={})


def _instance(model: CheckedModel, inputs: Sequence[Array]) -> Dataset:
    def batches() -> Iterator[Batch]:
        yield Batch(model.instance, model.instances, tuple(inputs), model.labels)

    return Dataset(model.instances, batches)


def _differs(
    finding: Finding, request: Request, models: Models, data: Dataset
) -> frozenset[str] | None:
    """Who is blamed for it, if the model is inconsistent from the same layer on; None if not."""
    found = check_loaded(request, models, data).unique_inconsistencies
    alike = [frozenset(item.blamed) for item in found if item.layer == finding.node]
    mine = frozenset(finding.blamed)
    if mine in alike:
        return mine
    left = [blamed for blamed in alike if blamed and blamed < mine]
    return frozenset().union(*left) if left else None


def _dies(finding: Finding, models: Models, inputs: Sequence[Array]) -> bool:
    (target,) = finding.blamed
    if finding.stage == "build":
        failure = models.loads(target)
        return failure is not None and failure.died
    result = models.attempt(target, inputs)
    return isinstance(result, Failed) and result.died
