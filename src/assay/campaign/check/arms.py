"""What is compared: arms, each a file on a target.

Of one file, an arm is called as its target. Of several, too, unless two files have the same
target: then the file stands before it, as in ``old.onnx@onnxruntime``.
"""

import os
from collections.abc import Mapping, Sequence

import msgspec

from assay.config import Config
from assay.errors import AssayError
from assay.models import ModelFile
from assay.targets import DEFAULT_MODEL_TARGETS, Target, known_targets, resolve
from assay.targets.probe import missing_module

#: The formats of the files that a library's targets run; all others run ONNX.
_FORMATS = {
    "keras": ("keras",),
    "keras2": ("keras",),
    "torch": ("torch",),
    "jax": (),
    "tensorflow": ("savedmodel",),
    "litert": ("litert",),
    "openvino": ("onnx", "openvino", "litert", "savedmodel"),
}
_OTHERS = ("onnx",)


class Arm(msgspec.Struct, frozen=True):
    """A file on a target. ``target`` has the arm's name; ``on`` is what it is called itself."""

    target: Target
    file: ModelFile
    on: str


def targets_for(settings: Config, wanted: Sequence[str], format: str) -> tuple[Target, ...]:
    """The targets asked for, or the default ones of the format that are installed."""
    chosen = _installed(settings, format)
    if wanted:
        chosen = resolve(wanted, known_targets(settings))
    for target in chosen:
        if not _runs(target, format):
            fitting = ", ".join(DEFAULT_MODEL_TARGETS[format])
            raise AssayError(f"{target.name} does not run {format} files. These do: {fitting}.")
    if len(chosen) < 2:
        only = (
            ""
            if len(DEFAULT_MODEL_TARGETS[format]) > 1
            else (f" Nothing else runs {format} files: give a second file to compare with.")
        )
        raise AssayError(
            f"a check needs at least two targets; received "
            f"{', '.join(target.name for target in chosen) or 'none'}. (assay doctor shows all)"
            f"{only}"
        )
    return chosen


def arms_for(
    settings: Config, wanted: Sequence[str], files: Sequence[ModelFile]
) -> tuple[Arm, ...]:
    """Each file on those of the targets asked for that run its format, or on the first default
    one of its format that is installed.
    """
    asked = resolve(wanted, known_targets(settings)) if wanted else ()
    chosen: list[tuple[ModelFile, Target]] = []
    for file in files:
        own = [target for target in asked if _runs(target, file.format)]
        own = own if wanted else list(_installed(settings, file.format)[:1])
        if not own:
            fitting = ", ".join(DEFAULT_MODEL_TARGETS[file.format])
            raise AssayError(
                f"{file.path}: expected a target that runs {file.format} files ({fitting}); "
                f"received {', '.join(wanted) or 'none that is installed'}."
            )
        chosen += [(file, target) for target in own]
    for target in asked:
        if not any(item is target for _, item in chosen):
            formats = ", ".join(dict.fromkeys(file.format for file in files))
            raise AssayError(f"{target.name} runs none of these files ({formats}).")
    labels = labelled([file.path for file in files])
    times = [target.name for _, target in chosen]
    return tuple(
        Arm(target, file, target.name)
        if times.count(target.name) == 1
        else Arm(
            msgspec.structs.replace(target, name=f"{labels[file.path]}@{target.name}"),
            file,
            target.name,
        )
        for file, target in chosen
    )


def labelled(paths: Sequence[str]) -> Mapping[str, str]:
    """Each path by as much of its end as tells it from the others; ``AssayError`` for one twice."""
    whole = {path: os.path.abspath(path).split(os.sep) for path in paths}
    if len({tuple(parts) for parts in whole.values()}) < len(paths):
        raise AssayError(f"expected different files; received one twice: {', '.join(paths)}.")
    for length in range(1, max(map(len, whole.values())) + 1):
        found = {path: "/".join(parts[-length:]) for path, parts in whole.items()}
        if len(set(found.values())) == len(found):
            break
    return found


def _installed(settings: Config, format: str) -> tuple[Target, ...]:
    chosen = resolve(DEFAULT_MODEL_TARGETS[format], known_targets(settings))
    return tuple(target for target in chosen if not missing_module(target))


def _runs(target: Target, format: str) -> bool:
    return format in _FORMATS.get(target.library, _OTHERS)
