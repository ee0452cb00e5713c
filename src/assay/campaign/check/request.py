"""What to check: from what a user says to a request that can be run."""

import os
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from assay.config import Config
from assay.errors import AssayError
from assay.ir import Array
from assay.judge.models.pairs import CRADLE, Rule
from assay.models import ModelFile, inspect
from assay.models.zoo import zoo_path
from assay.targets import DEFAULT_MODEL_TARGETS, Target, known_targets, resolve
from assay.targets.probe import missing_module

PRESETS = (CRADLE,)
_ZOO = "zoo:"
#: The format of the files that a library's targets run; all others run ONNX.
_LIBRARIES = {"keras": "keras", "keras2": "keras", "torch": "torch"}

#: Data in memory: arrays by name, in the model's order, or the only one.
Arrays = Mapping[str, Array] | Sequence[Array] | Array


class Request(msgspec.Struct, frozen=True):
    """What to check. ``zoo`` builds the model at ``zoo_path`` first, if there is no file.

    Data come from ``arrays``, else from the file ``data``, else they are generated.
    ``named``: somebody asked for these targets, so that one that cannot run the model is an
    error. ``absent``: default targets that are not installed, and what to do.
    """

    title: str
    file: ModelFile | None
    targets: tuple[Target, ...]
    named: bool = False
    absent: Mapping[str, str] = {}
    data: str = ""
    arrays: Mapping[str, np.ndarray] | tuple[np.ndarray, ...] | None = None
    instances: int = 16
    seed: int = 0
    preset: str = ""
    percent: float = 0.0
    zoo: str = ""
    zoo_path: str = ""
    store: str = "assay.db"

    @property
    def rule(self) -> Rule:
        """When two targets are inconsistent."""
        return Rule(self.preset, self.percent)


def requested(
    settings: Config,
    model: str,
    data: "str | Arrays | None" = None,
    *,
    targets: Sequence[str] = (),
    instances: int = 16,
    seed: int = 0,
    preset: str | None = None,
    percent: float = 0.0,
    trust: bool = False,
    architecture: str = "",
    store: str | None = None,
) -> Request:
    """The request, checked. ``AssayError`` for what cannot be, before a library starts.

    Without ``targets`` the default ones of the model's format that are installed;
    ``architecture`` is the JSON of a model whose file has weights only.
    """
    if preset is not None and preset not in PRESETS:
        raise AssayError(f'unknown preset "{preset}". check has: {", ".join(PRESETS)}.')
    file, zoo, path = None, "", ""
    if model.startswith(_ZOO):
        zoo = model.removeprefix(_ZOO)
        kept = zoo_path(zoo, seed)
        kept.parent.mkdir(parents=True, exist_ok=True)
        path = str(kept)
        if kept.exists():
            file = inspect(path)
    else:
        file = inspect(model, trust, architecture)
    chosen, absent = _targets(settings, targets, file.format if file else "keras")
    return Request(
        title=model if zoo else os.path.basename(model),
        file=file,
        targets=chosen,
        named=bool(targets),
        absent=absent,
        data=data if isinstance(data, str) else "",
        arrays=None if data is None or isinstance(data, str) else _plain(data),
        instances=instances,
        seed=seed,
        preset=preset or "",
        percent=percent,
        zoo=zoo,
        zoo_path=path,
        store=settings.store if store is None else store,
    )


def _plain(data: Arrays) -> Mapping[str, Array] | tuple[Array, ...]:
    if isinstance(data, Mapping):
        return {str(name): np.asarray(array) for name, array in data.items()}
    if isinstance(data, np.ndarray):
        return (data,)
    return tuple(np.asarray(array) for array in data)


def _targets(
    settings: Config, wanted: Sequence[str], format: str
) -> tuple[tuple[Target, ...], dict[str, str]]:
    """The targets asked for, or the default ones of the format, and which are not installed."""
    chosen = resolve(wanted or DEFAULT_MODEL_TARGETS[format], known_targets(settings))
    absent = {}
    if not wanted:
        missing = {target.name: missing_module(target) for target in chosen}
        absent = {name: f"{module} is not installed" for name, module in missing.items() if module}
        chosen = tuple(target for target in chosen if target.name not in absent)
    for target in chosen:
        if _LIBRARIES.get(target.library, "onnx") != format:
            fitting = ", ".join(DEFAULT_MODEL_TARGETS[format])
            raise AssayError(f"{target.name} does not run {format} files. These do: {fitting}.")
    if len(chosen) < 2:
        raise AssayError(
            f"a check needs at least two targets; received "
            f"{', '.join(target.name for target in chosen) or 'none'}. (assay doctor shows all)"
        )
    return chosen, absent
