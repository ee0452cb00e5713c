"""Assay from Python: what the commands do, without a terminal, a signal or an exit code."""

import os
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.campaign.check.checking import check as run_check
from assay.campaign.check.gates import (
    Given,
    by_output,
    from_options,
    published_metrics,
    thresholds_of,
)
from assay.campaign.check.request import Arrays, requested
from assay.campaign.events import CheckFinished, Event
from assay.campaign.hunt.hunting import hunt as run_hunt
from assay.campaign.hunt.presets import with_variant
from assay.campaign.hunt.request import Request, hunt_options, with_defaults, with_models
from assay.campaign.running.duration import parse_duration
from assay.config import Config, load
from assay.errors import AssayError
from assay.ir.check import Check
from assay.models import Conversions, parse_scale
from assay.models.objects import is_object, saved

#: The path of a file, or an object of a library that the caller has imported.
Model = str | os.PathLike[str] | Any


def check(
    model: Model | Sequence[Model],
    data: "str | Arrays | Any" = None,
    *,
    targets: Sequence[str] | None = None,
    store: str | None = None,
    instances: int | None = None,
    seed: int = 0,
    resize: bool = False,
    grey: bool = False,
    scale: float | str | None = None,
    preset: str | None = None,
    percent: float = 0.0,
    atol: float | Given | None = None,
    rtol: float | Given | None = None,
    min_agreement: float | str | Given | None = None,
    metric: Given | Sequence[str] | None = None,
    top_k: int | None = None,
    classifier: bool = False,
    trust: bool = False,
    architecture: str = "",
    prelude: str = "",
    config: str | None = None,
) -> Check:
    """Is a model the same on several targets? What ``assay check`` says, as a record.

    ``model`` is the path of a file or ``zoo:NAME``; a ``keras.Model``, or a ``torch.nn.Module``
    with example inputs as its data, which is exported in evaluation mode; or a list of these, to
    be compared with each other, the data being for the first. ``data`` is the path of a data
    set, or arrays: by name (``x`` or the names of the model's inputs, ``y`` for labels), in the
    order of the inputs, or the only one. Without data, ``instances`` (16) are drawn by
    ``seed``; with data, the first so many are taken. ``resize`` and ``grey`` change images,
    ``scale`` numbers ("1/255", or with something added "1/127.5,-1"), as the command's options do.
    ``atol``, ``rtol`` and ``min_agreement`` (a share, or "99.5%") are thresholds of all outputs, or
    by their names, ``metric`` of differences ({"accuracy": "0.5%"}); given any, they decide.
    With the ``preset`` "cradle", ``metric`` is what counts (["class", "accuracy"], or each with its
    threshold), and ``top_k`` how many of the best labels the accuracy is of.
    ``targets`` and ``store`` are those of the configuration unless given. What is inconsistent
    is in the store afterwards; ``Check.findings`` has the ids. May run in any thread.
    Raises ``AssayError`` for what cannot be checked.
    """
    factor = None if scale is None else parse_scale(str(scale), "scale")
    models: list[Any] = [model]
    if isinstance(model, Sequence) and not isinstance(model, str):
        models = list(model)
    if not models:
        raise AssayError("model takes a path, an object, or several; received none.")
    settings = load(config)
    metrics = metric if isinstance(metric, Mapping) else _names("metric", metric or ())
    thresholds = thresholds_of(
        settings.check,
        by_output(atol),
        by_output(rtol),
        by_output(min_agreement),
        {} if preset is not None else _limits(metrics),
    )
    with tempfile.TemporaryDirectory(prefix="assay-model-") as folder:
        paths, data, own = _files(models, data, folder)
        return _checked(
            settings,
            paths,
            data,
            targets=_names("targets", targets or ()),
            conversions=Conversions(resize, grey, factor),
            instances=instances,
            seed=seed,
            preset=preset,
            percent=percent,
            metrics=None if preset is None else published_metrics(metrics),
            top_k=top_k,
            thresholds=thresholds,
            classifier=classifier or settings.check.classifier,
            trust=trust or own,
            architecture=architecture,
            prelude=prelude,
            store=store,
        )


def _files(models: Sequence[Any], data: Any, folder: str) -> tuple[list[str], Any, bool]:
    """A path for each model, the data, and whether a file of ours must be trusted."""
    paths, given, own = [], data, False
    for place, model in enumerate(models):
        if isinstance(model, str | os.PathLike):
            paths.append(os.fspath(model))
            continue
        if not is_object(model):
            raise AssayError(
                "model takes a path, a keras.Model or a torch.nn.Module, or several; "
                f"received {model!r:.80}."
            )
        inside = os.path.join(folder, str(place))
        os.mkdir(inside)
        found = saved(model, data, inside)
        paths.append(found.path)
        given, own = found.data, own or found.trust
    return paths, given, own


def _checked(settings: Config, paths: list[str], data: Any, **more: Any) -> Check:
    request = requested(settings, paths, data, **more)
    for event in run_check(request):
        if isinstance(event, CheckFinished):
            return event.check
    raise AssertionError("a check ends with its result or with an error")


def hunt(
    *,
    techniques: Sequence[str] = (),
    targets: Sequence[str] = (),
    ops: Sequence[str] = (),
    budget: float | str | None = None,
    cases: int | None = None,
    rules: Sequence[str] = (),
    inputs: int | None = None,
    tolerance: tuple[float, float] | None = None,
    drawing: str | None = None,
    seed: int | None = None,
    resume: bool = False,
    witnesses: bool = True,
    preset: str | None = None,
    models: Sequence[str] = (),
    store: str | None = None,
    config: str | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Event]:
    """Look for bugs: what ``assay hunt`` does, as a stream of events.

    ``for event in assay.hunt(cases=500): …`` runs the hunt; it goes on only while events are
    taken. ``budget`` is in seconds, or as the command takes it ("2m"). ``rules``, ``inputs``,
    ``tolerance`` and ``drawing`` are those of the technique rewrite, ``models`` the seed models
    of mutate. The last event is a ``CampaignFinished`` with the summary. Set ``stop`` from any
    thread to end after the trial under way; ``resume=True`` continues. Raises ``AssayError``
    before anything is started if what is asked for is wrong.
    """
    settings = load(config)
    seconds = parse_duration(str(budget), "budget") if budget is not None else None
    asked = Request(
        techniques=_names("techniques", techniques),
        targets=_names("targets", targets),
        ops=_names("ops", ops),
        cases=cases,
        rules=_names("rules", rules),
        inputs=inputs,
        tolerance=tolerance,
        drawing=drawing,
        budget_seconds=seconds,
        seed=seed,
        resume=resume,
        witnesses=witnesses,
    )
    request = with_defaults(asked, settings)
    mutation = with_models(request, _names("models", models), preset)
    request = with_variant(msgspec.structs.replace(request, mutation=mutation), preset, unit=False)
    options, _ = hunt_options(request, settings, settings.store if store is None else store)
    return run_hunt(options, stop)


def _limits(metrics: Given | Sequence[str]) -> Given:
    return metrics if isinstance(metrics, Mapping) else from_options("metric", metrics)


def _names(argument: str, given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise AssayError(
            f"{argument} takes a list of names; received {given!r}. Write [{given!r}]."
        )
    return tuple(given)
