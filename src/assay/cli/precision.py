"""``assay precision``: how wrong an operator can get."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import (
    ConfigOption,
    JsonOption,
    QuietOption,
    StoreOption,
    names,
    number,
    repeated_options,
    store_url,
    whole_number,
)
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.campaign.events import PrecisionFinished
    from assay.campaign.precision.request import Request
    from assay.ir.precision import Comparison, Measurement, PrecisionResult


def precision(
    ops: Annotated[
        list[str] | None,
        typer.Argument(metavar="OP", help='Public paths or shell patterns: "torch.*".'),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Where.  [default: those of the ops' library]"),
    ] = None,
    inputs: Annotated[
        str | None, typer.Option(metavar="N", help="How many inputs.  [default: 5000]")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="How they are searched: mixture, corners, exponents, elements, climb, cmaes, "
            "gradient; "
            "published: random, linf, l1.  [default: mixture]",
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="operator: it computes in the format; input: its input is rounded to the "
            "format, and it computes in float32.  [default: operator]",
        ),
    ] = None,
    stage: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="forward: results; gradient: gradients of their sum; both.  [default: forward]",
        ),
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="float16, bfloat16, float32, float64.  [default: float32]"
        ),
    ] = None,
    shape: Annotated[
        str | None,
        typer.Option(metavar="N,N", help="Of the first tensor.  [default: one that fits the op]"),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="A,B",
            help="channels_first, channels_last, both: for ops that take data_format.  "
            "[default: the op's]",
        ),
    ] = None,
    theta: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="linf, l1: the largest perturbations.  [default: 1e-4,1e-6,1e-8]",
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(metavar="N", help="linf, l1: seeds of the corpus.  [default: 1000]"),
    ] = None,
    box: Annotated[
        str | None,
        typer.Option(metavar="B", help="Numbers from -B to B.  [default: the whole format]"),
    ] = None,
    repeat: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Growth of the error when an op is executed on its own result."
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="S", help="Another seed.  [default: 0]")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Settings of a published method: predoo."),
    ] = None,
    exhaustive: Annotated[
        bool,
        typer.Option(
            "--exhaustive",
            help="Try every number of float16, bfloat16 or float32; of functions of two numbers, "
            "all pairs of those that floats of eight bits hold.",
        ),
    ] = False,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What --json printed earlier, or a store: the exit code is 1 only if an error "
            "became worse.",
        ),
    ] = None,
    tolerances: Annotated[
        bool,
        typer.Option("--tolerances", help="Beside it what the libraries' own tests grant."),
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE.html", help="Write a page with plots, which works offline."),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE.svg", help="Write plots of errors against values."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the same run: rows that are done stay.")
    ] = False,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Search for the inputs on which operators are least accurate, and say by how much.

    Answers are held against the float64 reference on the same rounded input. ULP are units in
    the last place of the output's format; a condition number says how much of an error the
    input's own rounding explains.

    \b
    Examples:
      assay precision keras.ops.tanh keras.ops.sigmoid --targets keras-torch,keras-jax
      assay precision "torch.nn.functional.*" --dtype float16,bfloat16
      assay precision keras.ops.softmax --shape 8,100 --strategy mixture,random
      assay precision keras.ops.tanh --exhaustive --dtype float32 --targets torch
      assay precision --preset predoo --targets keras-tensorflow
    """
    from assay.config import load
    from assay.report.console import show
    from assay.report.precision import precision_document, precision_text
    from assay.report.precision_baseline import baseline_text
    from assay.report.precision_page import require_paths, write_page, write_plot
    from assay.report.streams import write_json

    settings = load(config)
    from assay.campaign.precision.request import Asked, requested

    asked = Asked(
        ops=tuple(ops or ()),
        targets=names("--targets", targets),
        inputs=None if inputs is None else whole_number("--inputs", inputs),
        strategies=names("--strategy", strategy),
        modes=names("--mode", mode),
        stages=names("--stage", stage),
        repeat=0 if repeat is None else _repeat(repeat),
        layouts=names("--format", layout),
        dtypes=names("--dtype", dtype),
        shape=None if shape is None else _shape(shape),
        theta=tuple(number("--theta", part) for part in names("--theta", theta)),
        corpus=None if corpus is None else whole_number("--corpus", corpus),
        box=None if box is None else number("--box", box),
        seed=0 if seed is None else _seed(seed),
        preset=preset,
        curves=report is not None or plot is not None,
        tolerances=tolerances,
        resume=resume,
        exhaustive=exhaustive,
    )
    require_paths(report, plot)
    if exhaustive and plot is not None:
        raise AssayError("--plot draws the errors of a search. Leave it or --exhaustive out.")
    earlier = None if baseline is None else _earlier(baseline)
    finished = _run(requested(settings, asked, store_url(store, settings)), quiet)
    result = finished.result
    comparison = None if earlier is None else _beside(earlier, result)
    if json:
        write_json(precision_document(result, finished.findings, comparison))
    else:
        hint = "" if quiet else repeated_options(store, config)
        show(precision_text(result, finished.findings, hint))
        if comparison is not None:
            show(baseline_text(comparison))
    if report is not None:
        write_page(result, finished.findings, report)
    if plot is not None:
        write_plot(result, plot)
    if result.interrupted:
        return 130
    if any(item.fault for item in result.left_out):
        return 3
    if comparison is not None:
        return 1 if comparison.worse else 0
    return 1 if any(item.category == "bug" for item in finished.findings) else 0


def _earlier(source: str) -> "tuple[Measurement, ...]":
    from assay.campaign.precision.baseline import read

    return read(source)


def _beside(earlier: "tuple[Measurement, ...]", result: "PrecisionResult") -> "Comparison":
    from assay.campaign.precision.baseline import compared

    return compared(result.results, earlier)


def _shape(given: str) -> tuple[int, ...]:
    parts = [part.strip() for part in given.replace("x", ",").split(",")]
    found = tuple(whole_number("--shape", part) for part in parts if part)
    if "" in parts or any(length < 1 for length in found):
        raise AssayError(f'--shape takes lengths from 1 on, such as 8,100; received "{given}".')
    return found


def _repeat(given: str) -> int:
    found = whole_number("--repeat", given)
    if found < 1:
        raise AssayError(f"--repeat takes a number from 1 on; received {found}.")
    return found


def _seed(given: str) -> int:
    found = whole_number("--seed", given)
    if found < 0:
        raise AssayError(f"--seed takes a number from 0 on; received {found}.")
    return found


def _run(request: "Request", quiet: bool) -> "PrecisionFinished":
    from assay.campaign.events import PrecisionFinished
    from assay.campaign.precision.running import run_precision
    from assay.cli.interruption import Interruption
    from assay.report.check_progress import check_progress
    from assay.report.sweep_progress import sweep_progress

    progress = sweep_progress if request.exhaustive else check_progress
    with Interruption() as interruption, progress(sys.stderr, quiet) as handle:
        interruption.patience = 1  # a row that is done is kept, and so is a block
        for event in run_precision(request, handle, interruption.stop):
            handle(event)
    assert isinstance(event, PrecisionFinished)  # the last one, unless there was an error
    return event
