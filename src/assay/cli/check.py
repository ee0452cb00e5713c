"""``assay check``: is a model the same everywhere?"""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import (
    ConfigOption,
    JsonOption,
    QuietOption,
    StoreOption,
    names,
    whole_number,
)
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.config import Config
    from assay.targets import Target

_ZOO = "zoo:"
_PRESETS = ("cradle",)


def check(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help=".keras, .h5, .onnx or .pt2 file, or zoo:NAME.")
    ],
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=".npz (x, or inputs by name; y for labels), .npy, or a directory of images.  "
            "[default: generated]",
        ),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Separated by commas.  [default: all for the format]"),
    ] = None,
    instances: Annotated[
        str, typer.Option(metavar="N", help="How many to generate without --data.")
    ] = "16",
    seed: Annotated[str, typer.Option(metavar="S", help="Of generated data and the zoo.")] = "0",
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="cradle: the paper's distances and rule.")
    ] = None,
    percent: Annotated[
        str,
        typer.Option(metavar="P", help="With cradle: how many % of instances may be distant."),
    ] = "0",
    report: Annotated[
        str | None, typer.Option(metavar="DIR", help="Write a page with the localization map.")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Load files that can run code (Lambda layers).")
    ] = False,
    architecture: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="model.to_json() for a .h5 file with weights only."),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Run a trained model on several targets, and say from which layer on they differ.

    Nothing in the file is executed unless --trust is given. The exit code is 1 if the
    targets are inconsistent, 0 if they agree.

    \b
    Examples:
      assay check model.keras --data val.npz
      assay check model.onnx --targets onnxruntime,openvino --report report
      assay check zoo:resnet50 --instances 8
    """
    if preset is not None and preset not in _PRESETS:
        raise AssayError(f'unknown preset "{preset}". check has: {", ".join(_PRESETS)}.')
    count, seeded = whole_number("--instances", instances), whole_number("--seed", seed)
    if count < 1:
        raise AssayError(f"--instances must be at least 1; received {count}.")
    from assay.campaign.check.checking import Request
    from assay.campaign.check.checking import check as run
    from assay.config import load
    from assay.models import inspect
    from assay.models.zoo import zoo_path
    from assay.report.check import check_document, check_text
    from assay.report.check_progress import check_progress
    from assay.report.console import show
    from assay.report.streams import write_json

    settings = load(config)
    file, zoo, path = None, "", ""
    if model.startswith(_ZOO):
        zoo = model.removeprefix(_ZOO)
        kept = zoo_path(zoo, seeded)
        kept.parent.mkdir(parents=True, exist_ok=True)
        path = str(kept)
        if kept.exists():
            file = inspect(path)
    else:
        file = inspect(model, trust, _text(architecture) if architecture else "")
    chosen = _targets(settings, names("--targets", targets), file.format if file else "keras")
    request = Request(
        title=model if zoo else os.path.basename(model),
        file=file,
        targets=chosen,
        data=data or "",
        instances=count,
        seed=seeded,
        preset=preset or "",
        percent=_percent(percent),
        zoo=zoo,
        zoo_path=path,
    )
    with check_progress(sys.stderr, quiet) as progress:
        result = run(request, progress, inspect)
    page = ""
    if report is not None:
        from assay.report.check_page import write_report

        page = write_report(result, report)
    if json:
        write_json(check_document(result))
    else:
        given = {
            "--data": data,
            "--targets": targets,
            "--instances": instances if instances != "16" else None,
            "--seed": seed if seed != "0" else None,
            "--preset": preset,
            "--percent": percent if percent != "0" else None,
            "--architecture": architecture,
            "--config": config,
        }
        again = _again(model, given, trust)
        show(check_text(result, page, again if _wants_report(result.verdict, page, quiet) else ""))
    return 1 if result.verdict == "inconsistent" else 0


def _again(model: str, given: "Mapping[str, str | None]", trust: bool) -> str:
    """The same check with a report."""
    words = ["assay", "check", model]
    for name, value in given.items():
        words += [name, value] if value is not None else []
    return shlex.join([*words, *(["--trust"] if trust else []), "--report", "report"])


def _wants_report(verdict: str, page: str, quiet: bool) -> bool:
    return verdict == "inconsistent" and not page and not quiet


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise AssayError(f"cannot read {path}: {error.strerror}.") from None


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise AssayError(f'--percent takes a number from 0 to 100; received "{text}".')
    return value


def _targets(settings: "Config", wanted: tuple[str, ...], format: str) -> "tuple[Target, ...]":
    """The targets asked for, or the default ones of the format that are installed."""
    from assay.targets import DEFAULT_MODEL_TARGETS, known_targets, resolve
    from assay.targets.probe import missing_module

    known = known_targets(settings)
    chosen = resolve(wanted or DEFAULT_MODEL_TARGETS[format], known)
    if not wanted:
        chosen = tuple(target for target in chosen if not missing_module(target))
    for target in chosen:
        formats = {"keras": "keras", "torch": "torch"}
        if formats.get(target.library, "onnx") != format:
            fitting = ", ".join(DEFAULT_MODEL_TARGETS[format])
            raise AssayError(f"{target.name} does not run {format} files. These do: {fitting}.")
    if len(chosen) < 2:
        raise AssayError(
            f"a check needs at least two targets; received "
            f"{', '.join(target.name for target in chosen) or 'none'}. (assay doctor shows all)"
        )
    return chosen
