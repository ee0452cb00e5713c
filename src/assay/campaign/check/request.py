"""What to check: from what a user says to a request that can be run."""

import os
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from assay.campaign.check.arms import Arm, arms_for, labelled, targets_for
from assay.config import Config
from assay.errors import AssayError
from assay.ir import Array
from assay.ir.check import ModelSpec, TensorSpec
from assay.ir.thresholds import NONE as NO_THRESHOLDS
from assay.ir.thresholds import Thresholds
from assay.judge.distances import TOP
from assay.judge.models.rules import CRADLE, Rule
from assay.models import (
    NONE,
    Conversions,
    DataError,
    Dataset,
    ModelFile,
    generated,
    in_memory,
    inspect,
    open_data,
    readable,
)
from assay.models.zoo import zoo_path
from assay.suggest import unknown
from assay.targets import Target

PRESETS = (CRADLE,)
#: How many are generated.
DEFAULT_INSTANCES = 16
_ZOO = "zoo:"

#: Data in memory: arrays by name, in the model's order, or the only one.
Arrays = Mapping[str, Array] | Sequence[Array] | Array


class Request(msgspec.Struct, frozen=True):
    """What to check. ``zoo`` builds the model at ``zoo_path`` first, if there is no file.

    Of several files, ``file`` is the first, and ``arms`` says which of them each of ``targets``
    (named as the arms) holds. Data come from ``arrays``, else from the file ``data``, else they
    are generated: of these ``instances``, by default ``DEFAULT_INSTANCES``; of the others the
    first so many. ``named``: somebody asked for these targets, so that one that cannot run the
    model is an error. ``absent``: default targets that are not installed, and what to do.
    """

    title: str
    file: ModelFile | None
    targets: tuple[Target, ...]
    named: bool = False
    absent: Mapping[str, str] = {}
    data: str = ""
    arrays: Mapping[str, np.ndarray] | tuple[np.ndarray, ...] | None = None
    conversions: Conversions = NONE
    instances: int | None = None
    seed: int = 0
    preset: str = ""
    percent: float = 0.0
    metrics: dict[str, float] = {}
    top_k: int = 1
    thresholds: Thresholds = NO_THRESHOLDS
    classifier: bool = False
    zoo: str = ""
    zoo_path: str = ""
    store: str = "assay.db"
    arms: tuple[Arm, ...] = ()

    @property
    def files(self) -> dict[str, ModelFile]:
        """What each arm holds; empty for a single file."""
        return {arm.target.name: arm.file for arm in self.arms}

    @property
    def rule(self) -> Rule:
        """When two targets are inconsistent."""
        return Rule(self.preset, self.percent, self.metrics, self.top_k)

    def output_names(self, spec: ModelSpec) -> tuple[str, ...]:
        """What the model's outputs are called: by its file, where that says it.

        ``AssayError`` for a threshold of one that it has not.
        """
        told = self.file.outputs if self.file else ()
        own = tuple(item.name for item in spec.outputs)
        names = told if len(told) == len(own) else own
        _check_outputs(self.thresholds, names)
        return names

    def dataset(self, inputs: Sequence[TensorSpec], ids: Mapping[str, int]) -> Dataset:
        """The instances, for a model's inputs; ``DataError`` if they do not fit."""
        data = self._dataset(inputs, ids)
        if self.thresholds.metrics and not data.labelled:
            metric = next(iter(self.thresholds.metrics))
            raise DataError(f"--metric {metric} needs labels: add y to the data.")
        return data

    def _dataset(self, inputs: Sequence[TensorSpec], ids: Mapping[str, int]) -> Dataset:
        if self.arrays is not None:
            return in_memory(self.arrays, inputs, ids, self.conversions, self.instances)
        if self.data:
            return open_data(self.data, inputs, ids, self.conversions, self.instances)
        return generated(inputs, ids, self.instances or DEFAULT_INSTANCES, self.seed)


def requested(
    settings: Config,
    model: str | Sequence[str],
    data: "str | Arrays | None" = None,
    *,
    targets: Sequence[str] = (),
    conversions: Conversions = NONE,
    instances: int | None = None,
    seed: int = 0,
    preset: str | None = None,
    percent: float = 0.0,
    metrics: Mapping[str, float] | None = None,
    top_k: int | None = None,
    thresholds: Thresholds = NO_THRESHOLDS,
    classifier: bool = False,
    trust: bool = False,
    architecture: str = "",
    prelude: str = "",
    store: str | None = None,
) -> Request:
    """The request, checked. ``AssayError`` for what cannot be, before a library starts.

    Without ``targets`` the default ones of the model's format that are installed, of several
    models the first for each; ``architecture`` is the JSON of a model whose file has weights only,
    ``prelude`` the path of a file for all targets.
    """
    if preset is not None and preset not in PRESETS:
        raise AssayError(f'unknown preset "{preset}". check has: {", ".join(PRESETS)}.')
    if prelude:
        settings = msgspec.structs.replace(settings, prelude=_file_of_code(prelude))
    targets = targets or settings.check.targets
    models = [model] if isinstance(model, str) else list(model)
    arms: tuple[Arm, ...] = ()
    file, zoo, path = None, "", ""
    model = models[0]
    if len(models) > 1:
        files = _inspected(models, trust, architecture)
        file, arms = files[0], arms_for(settings, targets, files)
    elif model.startswith(_ZOO):
        zoo = model.removeprefix(_ZOO)
        kept = zoo_path(zoo, seed)
        kept.parent.mkdir(parents=True, exist_ok=True)
        path = str(kept)
        if kept.exists():
            file = inspect(path)
    else:
        file = inspect(model, trust, architecture)
    absent: dict[str, str] = {}
    chosen = tuple(arm.target for arm in arms)
    if not arms:
        chosen, absent = targets_for(settings, targets, file.format if file else "keras")
    request = Request(
        title=model if zoo else ", ".join(labelled(models).values()),
        file=file,
        targets=chosen,
        named=bool(targets),
        absent=absent,
        data=data if isinstance(data, str) else "",
        arrays=None if data is None or isinstance(data, str) else _plain(data),
        conversions=conversions,
        instances=instances,
        seed=seed,
        preset=preset or "",
        percent=percent,
        metrics=dict(metrics or {}),
        top_k=_top_k(top_k, metrics or {}),
        thresholds=thresholds,
        classifier=classifier,
        zoo=zoo,
        zoo_path=path,
        store=settings.store if store is None else store,
        arms=arms,
    )
    own = next((t for t in request.targets if t.prelude != settings.prelude), None)
    if prelude and own is not None:
        raise AssayError(
            f"{own.name} has a prelude of its own ({own.prelude}); received --prelude {prelude} as "
            "well. Run the one from the other, or leave one out."
        )
    if request.preset and thresholds.given:
        raise AssayError(
            f"--preset {request.preset} has thresholds of its own; received {thresholds} as well. "
            "Leave one out."
        )
    if file is not None and file.outputs:
        _check_outputs(thresholds, file.outputs)
    _check_data(request)
    return request


def _top_k(given: int | None, metrics: Mapping[str, float]) -> int:
    if given is not None and "accuracy" not in metrics:
        raise AssayError("--top-k is of accuracies: add --preset cradle --metric accuracy.")
    if given is not None and not 1 <= given <= TOP:
        raise AssayError(f"--top-k takes a whole number from 1 to {TOP}; received {given}.")
    return given or 1


def _file_of_code(path: str) -> str:
    if not os.path.isfile(path):
        raise AssayError(f'no prelude file "{path}". Check the path.')
    return os.path.abspath(path)


def _check_outputs(thresholds: Thresholds, names: Sequence[str]) -> None:
    for name in thresholds.outputs:
        if name not in names:
            raise AssayError(unknown("output of the model", name, names))


def _check_data(request: Request) -> None:
    """``DataError`` for data that cannot be right, as far as the model's file tells that."""
    if request.instances is not None and request.instances < 1:
        raise AssayError(f"--instances must be at least 1; received {request.instances}.")
    if not request.data and request.arrays is None:
        if request.thresholds.metrics:
            raise DataError("--metric compares with labels: add --data with y.")
        if request.conversions != NONE:
            raise DataError("--resize, --grey and --scale are for data of yours: add --data.")
    elif request.file is not None and request.file.inputs:
        request.dataset(request.file.inputs, request.file.ids)
    elif request.data:
        readable(request.data)


def _inspected(models: Sequence[str], trust: bool, architecture: str) -> list[ModelFile]:
    """Every file; ``architecture`` is that of the first."""
    built = next((model for model in models if model.startswith(_ZOO)), "")
    if built:
        raise AssayError(
            f"several models are compared by their files; received {built}. Name a file instead."
        )
    return [inspect(m, trust, "" if place else architecture) for place, m in enumerate(models)]


def _plain(data: Arrays) -> Mapping[str, Array] | tuple[Array, ...]:
    if isinstance(data, Mapping):
        return {str(name): np.asarray(array) for name, array in data.items()}
    if isinstance(data, np.ndarray):
        return (data,)
    return tuple(np.asarray(array) for array in data)
