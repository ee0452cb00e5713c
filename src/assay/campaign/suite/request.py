"""What of a suite to run, and on which targets: from what a user says."""

import fnmatch
from collections.abc import Mapping, Sequence

import msgspec

from assay.config import Config
from assay.errors import AssayError, TargetError
from assay.suggest import closest
from assay.targets import DEFAULT_MODEL_TARGETS, Target, known_targets, resolve
from assay.targets.probe import missing_module

#: The libraries that run ONNX's cases, and the target that has them and referees.
LIBRARIES = ("onnxruntime", "openvino", "onnx")
REFEREE = "onnx-reference"


class Request(msgspec.Struct, frozen=True):
    """A suite on targets. ``ops`` are names or shell patterns; without any, all.

    ``referee`` has the cases, and says how far rounding goes; it is asked whether it is one of
    the targets or not.
    """

    targets: tuple[Target, ...]
    referee: Target
    ops: tuple[str, ...] = ()
    store: str = "assay.db"


def requested(settings: Config, targets: Sequence[str], ops: Sequence[str], store: str) -> Request:
    """The request; ``AssayError`` for targets that run no ONNX, or are not installed."""
    known = known_targets(settings)
    chosen = resolve(targets or DEFAULT_MODEL_TARGETS["onnx"], known)
    for target in chosen:
        if target.library not in LIBRARIES:
            fitting = ", ".join(DEFAULT_MODEL_TARGETS["onnx"])
            raise AssayError(f"{target.name} runs no cases of ONNX. These do: {fitting}.")
    (referee,) = resolve([REFEREE], known)
    _installed(referee)
    if targets:
        for target in chosen:
            _installed(target)
    else:
        chosen = tuple(target for target in chosen if not missing_module(target))
    own = next((target for target in chosen if target.library == "onnx"), referee)
    return Request(chosen, own, tuple(ops), store)


def _installed(target: Target) -> None:
    missing = missing_module(target)
    if missing:
        raise TargetError(
            f"{target.name}: no module named {missing}. pip install assay-dl[{target.extra}]"
        )


def selected(patterns: Sequence[str], ops: Mapping[str, int]) -> tuple[str, ...]:
    """The operators that patterns name, without or with their domain; ``AssayError`` for none."""
    if not patterns:
        return tuple(sorted(ops))
    found: set[str] = set()
    for pattern in patterns:
        named = {
            op
            for op in ops
            if fnmatch.fnmatchcase(op, pattern)
            or fnmatch.fnmatchcase(op.rpartition(".")[2], pattern)
        }
        if not named:
            short = {op.rpartition(".")[2]: op for op in ops}
            near = closest(pattern.rpartition(".")[2], short)
            hint = f' Did you mean "{near}"?' if near else ""
            raise AssayError(
                f'--ops: no operator of the suite matches "{pattern}".{hint} '
                f"It has cases of {len(ops)}."
            )
        found |= named
    return tuple(sorted(found))
