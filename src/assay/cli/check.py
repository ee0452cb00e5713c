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
    repeated_options,
    store_url,
    whole_number,
)
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Exit codes: a check that compared nothing answers nothing, as a hunt that tested nothing.
_CODES = {"consistent": 0, "inconsistent": 1, "nothing to compare": 2}


def check(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="One or more of .keras, .h5, .onnx, .pt2, .tflite, .xml, SavedModel; or zoo:NAME.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=".npz, .safetensors (x, or inputs by name; y for labels), .npy, .csv, or a "
            "directory of images, with a subdirectory per class.  [default: generated]",
        ),
    ] = None,
    resize: Annotated[
        bool, typer.Option("--resize", help="Change images to the size of the model's input.")
    ] = False,
    grey: Annotated[
        bool, typer.Option("--grey", help="Turn the colours of images to one channel.")
    ] = False,
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="FACTOR",
            help="Multiply data: 1/255; 1/127.5,-1 adds -1; 1 takes whole numbers as they are.",
        ),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Separated by commas.  [default: all for the format]"),
    ] = None,
    instances: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="How many to generate; of --data, only the first N.  [default: 16; all]",
        ),
    ] = None,
    seed: Annotated[str, typer.Option(metavar="S", help="Of generated data and the zoo.")] = "0",
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="cradle: the paper's distances and rule.")
    ] = None,
    percent: Annotated[
        str,
        typer.Option(metavar="P", help="With cradle: how many % of instances may be distant."),
    ] = "0",
    atol: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[OUTPUT=]N",
            help="Threshold: elements may differ by N (plus --rtol). Thresholds decide if given.",
        ),
    ] = None,
    rtol: Annotated[
        list[str] | None,
        typer.Option(metavar="[OUTPUT=]N", help="Threshold: by N times the larger element."),
    ] = None,
    min_agreement: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[OUTPUT=]P", help="Threshold: share of equal predicted labels, 99.5%."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LIMIT",
            help="Threshold: accuracy=0.5%, top5=1% or mae=0.01 may differ by so much. With "
            "cradle: which of class, mad, accuracy count (if not given, the first two).",
        ),
    ] = None,
    top_k: Annotated[
        str | None,
        typer.Option(
            metavar="K", help="With cradle: accuracy is of the best K labels, 1 to 5.  [default: 1]"
        ),
    ] = None,
    classifier: Annotated[
        bool,
        typer.Option("--classifier", help="The first output is scores of classes (logits, too)."),
    ] = False,
    junit: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a JUnit file for CI.")
    ] = None,
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
    prelude: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Python file with custom layers, run in every target."),
    ] = None,
    onnx_suite: Annotated[
        bool,
        typer.Option("--onnx-suite", help="Instead of a model: ONNX's own cases of single ops."),
    ] = False,
    ops: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help='Of the suite, only these: "Conv*,Resize".'),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Run a trained model on several targets, and say from which layer on they differ.

    Several files are compared with each other: a model and its exports, or two versions. Data
    are for the first one. Nothing in a file is executed unless --trust is given. What is
    inconsistent becomes a finding in the store. The exit code is 1 if the targets are
    inconsistent or one differs from itself, 0 if they agree, 2 if nothing could be compared;
    thresholds (--atol …) decide where they are given.

    --onnx-suite runs the cases that the onnx package has of single operators on its runtimes,
    prints how many pass, and judges every difference; the exit code is 1 if there is a bug.

    \b
    Examples:
      assay check model.keras --data val.npz
      assay check model.onnx --targets onnxruntime,openvino --report report
      assay check model.keras model.onnx
      assay check zoo:resnet50 --instances 8
      assay check model.onnx --data val.npz --atol 1e-3 --junit check.xml
      assay check --onnx-suite --ops "Conv*,Resize" --targets onnxruntime,openvino
    """
    if report is not None:
        _check_folder("--report", report)
    if onnx_suite:
        own = {
            "--data": data,
            "--resize": resize,
            "--grey": grey,
            "--scale": scale,
            "--instances": instances,
            "--preset": preset,
            "--atol": atol,
            "--rtol": rtol,
            "--min-agreement": min_agreement,
            "--metric": metric,
            "--top-k": top_k,
            "--classifier": classifier,
            "--junit": junit,
            "--trust": trust,
            "--architecture": architecture,
            "--prelude": prelude,
        }
        from assay.cli import onnx_suite as suite

        suite.refuse_with_models(models or (), own)
        wanted = names("--targets", targets), names("--ops", ops)
        return suite.run(*wanted, report, json, store, config, quiet)
    if ops is not None:
        raise AssayError("--ops is of --onnx-suite; add that, or leave it out.")
    if not models:
        raise AssayError('missing argument "MODEL...". See: assay check --help')
    count = None if instances is None else whole_number("--instances", instances)
    seeded = whole_number("--seed", seed)
    from assay.campaign.check.gates import from_options, published_metrics, thresholds_of
    from assay.campaign.check.request import requested
    from assay.config import load
    from assay.models import Conversions, parse_scale

    settings = load(config)
    limits = {"--atol": atol, "--rtol": rtol, "--min-agreement": min_agreement, "--metric": metric}
    decide = limits if preset is None else {**limits, "--metric": None}
    thresholds = thresholds_of(
        settings.check, *(from_options(name, given or ()) for name, given in decide.items())
    )
    if junit is not None:
        _check_place("--junit", junit)
    request = requested(
        settings,
        models,
        data,
        targets=names("--targets", targets),
        conversions=Conversions(resize, grey, None if scale is None else parse_scale(scale)),
        instances=count,
        seed=seeded,
        preset=preset,
        percent=_percent(percent),
        metrics=None if preset is None else published_metrics(metric or ()),
        top_k=None if top_k is None else whole_number("--top-k", top_k),
        thresholds=thresholds,
        classifier=classifier or settings.check.classifier,
        trust=trust,
        architecture=_text(architecture) if architecture else "",
        prelude=prelude or "",
        store=store_url(store, settings),
    )
    # Only now: what is wrong with a request is said within a second.
    from assay.campaign.check.checking import check as run
    from assay.campaign.events import CheckFinished
    from assay.report.check import check_document, check_text
    from assay.report.check_progress import check_progress
    from assay.report.console import show
    from assay.report.streams import write_json

    with check_progress(sys.stderr, quiet) as handle:
        for event in run(request, tell=handle):
            handle(event)
    assert isinstance(event, CheckFinished)  # the last one, unless there was an error
    result = event.check
    page = ""
    if report is not None:
        from assay.report.check_page import write_report

        page = write_report(result, report, event.exhibits)
    if junit is not None:
        from assay.report.junit import write_junit

        write_junit(result, junit)
    if json:
        write_json(check_document(result))
    else:
        given = {
            "--data": data,
            "--targets": targets,
            "--scale": scale,
            "--instances": instances,
            "--seed": seed if seed != "0" else None,
            "--preset": preset,
            "--percent": percent if percent != "0" else None,
            "--top-k": top_k,
            "--architecture": architecture,
            "--prelude": prelude,
            "--config": config,
        }
        flags = {
            "--resize": resize,
            "--grey": grey,
            "--classifier": classifier,
            "--trust": trust,
        }
        again = "" if page else _again(models, {**given, "--store": store}, limits, flags)
        bad = result.verdict == "inconsistent" and not quiet
        options = repeated_options(store, config)
        show(check_text(result, page, again if bad else "", options if bad else None))
    return _CODES[result.verdict]


def _again(
    models: "Sequence[str]",
    given: "Mapping[str, str | None]",
    repeated: "Mapping[str, list[str] | None]",
    flags: "Mapping[str, bool]",
) -> str:
    """The same check with a report."""
    words = ["assay", "check", *models]
    for name, value in given.items():
        words += [name, value] if value is not None else []
    for name, values in repeated.items():
        words += [word for value in values or () for word in (name, value)]
    words += [name for name, on in flags.items() if on]
    return shlex.join([*words, "--report", "report"])


def _check_place(option: str, path: str) -> None:
    """Can a file be written there? Better known before than after the check."""
    folder = os.path.dirname(path) or "."
    if not path or os.path.isdir(path) or not os.path.isdir(folder):
        raise AssayError(f'{option} takes a file in a folder that exists; received "{path}".')
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise AssayError(f"{option}: {path} cannot be written.")


def _check_folder(option: str, path: str) -> None:
    """Can a folder be made or filled there? The same, of ``--report``."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise AssayError(f"{path} is a file; {option} needs a directory.")
    existing = os.path.abspath(path)
    while not os.path.exists(existing):
        existing = os.path.dirname(existing)
    if not path or not os.path.isdir(existing) or not os.access(existing, os.W_OK | os.X_OK):
        raise AssayError(f'{option} takes a directory that can be written; received "{path}".')


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
