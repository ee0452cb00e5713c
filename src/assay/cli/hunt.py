"""``assay hunt``: look for bugs."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from assay.cli.failures import warn
from assay.cli.options import (
    AllOption,
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
    from assay.campaign.catalogues import BuildProgress
    from assay.campaign.events import Handler, Summary
    from assay.campaign.hunt.options import HuntOptions
    from assay.campaign.hunt.request import Request
    from assay.config import Config
    from assay.targets import Target


def hunt(
    technique: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Techniques to use.  [default: rewrite,single-op,synthesize]"
        ),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Targets to compare (assay doctor lists them)."),
    ] = None,
    ops: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help='Ops to draw from, as assay ops takes them: "keras.layers.Conv*".  [default: all]',
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="rewrite: rules to use, as assay rules lists them.  [default: all]"
        ),
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="rewrite: end when every pair of programs had so many inputs."
        ),
    ] = None,
    tolerance: Annotated[
        str | None,
        typer.Option(
            metavar="A,R",
            help="rewrite: let them be A + R·|b| apart.  [default: what rounding explains]",
        ),
    ] = None,
    drawing: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="rewrite: usual, or uniform over all numbers.  [default: usual]",
        ),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="mutate: seed models, such as lenet5,gru.  [default: all]"
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long: 90, 90s, 2m, 1h30m.  [default: 2m]"),
    ] = None,
    cases: Annotated[str | None, typer.Option(metavar="N", help="How many cases.")] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="S", help="Repeat a hunt.  [default: a random one, printed]"),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue the hunt with this --seed; without one, the newest that is unfinished.",
        ),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="--resume even if versions or settings changed since."),
    ] = False,
    reduce_share: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Of the time, what making bugs small may take, up to 0.2.  [default: 0.15]",
        ),
    ] = None,
    deadline: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="What one call may take.  [default: 1m]"),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="What one call may allocate.  [default: 4GB]"),
    ] = None,
    witnesses: Annotated[
        bool,
        typer.Option(
            help="Show disagreements to other implementations too, if --targets names only one."
        ),
    ] = True,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Settings of a published method: audee, eagle, muffin."),
    ] = None,
    unit: Annotated[
        bool, typer.Option("--unit", help="synthesize: one layer per model instead of many.")
    ] = False,
    lines: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE", help="Say which share of a package's Python lines ran: keras. Slow."
        ),
    ] = None,
    events: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write every event as a line of JSON; - is stdout."),
    ] = None,
    everything: AllOption = False,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Look for bugs: run generated cases on several targets and explain where they disagree.

    The exit code is 1 if the hunt found a bug, else 0; 2 if nothing was tested, or a target
    that was asked for cannot run. Ctrl-C stops it (exit code 130) with everything stored;
    --resume continues it.

    \b
    Examples:
      assay hunt --budget 2m
      assay hunt --targets keras-tensorflow,keras-torch --cases 500 --seed 7
      assay hunt --ops "keras.layers.Conv*" --ops keras.ops.pad
      assay hunt --technique rewrite --targets torch --rules strided,jit
      assay hunt --technique mutate --models lenet5 --cases 20
      assay hunt --preset muffin --cases 100
      assay hunt --preset eagle --targets torch --ops torch.fmod
      assay hunt --resume
    """
    if events == "-" and json:
        raise AssayError("--events - and --json both want stdout. Write the events to a file.")
    from assay.campaign.hunt.presets import with_variant
    from assay.campaign.hunt.request import with_models
    from assay.config import load

    settings = load(config)
    request = requested(
        settings, technique, targets, budget, cases, seed, resume, ops, reduce_share
    )
    request = msgspec.structs.replace(
        request,
        witnesses=witnesses,
        lines=lines or "",
        force=force,
        deadline=deadline,
        memory=memory,
        rules=names("--rules", rules),
        inputs=None if inputs is None else whole_number("--inputs", inputs),
        tolerance=None if tolerance is None else _tolerance(tolerance),
        drawing=drawing,
        mutation=with_models(request, names("--models", models), preset),
    )
    request = with_variant(request, preset, unit)
    url = store_url(store, settings)

    from assay.ir import to_plain
    from assay.report.causes import causes_json
    from assay.report.console import show
    from assay.report.findings import hunt_result
    from assay.report.streams import write_json

    summary = _run(request, settings, url, events, quiet)
    if json:
        write_json({**to_plain(summary), **causes_json(summary.findings)})
    elif not quiet:
        result = hunt_result(summary, everything, repeated_options(store, config))
        show(result, file=sys.stderr if events == "-" else None)
    if summary.interrupted:
        return 130
    if summary.untested:
        warn(f"nothing was tested: {summary.untested}")
        return 2
    if any(finding.category == "bug" for finding in summary.findings):
        return 1
    if summary.left_out and request.targets:
        warn(f"asked for, but lost on the way: {', '.join(summary.left_out)}")
        return 2
    return 0


def _tolerance(given: str) -> tuple[float, float]:
    parts = [number("--tolerance", part) for part in given.split(",")]
    if len(parts) != 2:
        raise AssayError(f'--tolerance takes two numbers, such as 1e-2,1e-5; received "{given}".')
    return parts[0], parts[1]


def requested(
    settings: "Config",
    technique: str | None = None,
    targets: str | None = None,
    budget: str | None = None,
    cases: str | None = None,
    seed: str | None = None,
    resume: bool = False,
    ops: Sequence[str] | None = None,
    reduce_share: str | None = None,
) -> "Request":
    """Options and configuration together, checked. An option always wins."""
    from assay.campaign.hunt.request import Request, with_defaults
    from assay.campaign.running.duration import parse_duration

    asked = Request(
        techniques=names("--technique", technique),
        targets=names("--targets", targets),
        ops=names("--ops", ",".join(ops) if ops else None),
        cases=None if cases is None else whole_number("--cases", cases),
        budget_seconds=None if budget is None else parse_duration(budget),
        seed=None if seed is None else whole_number("--seed", seed),
        resume=resume,
        reduce_share=None if reduce_share is None else number("--reduce-share", reduce_share),
    )
    return with_defaults(asked, settings)


def _run(
    request: "Request", settings: "Config", url: str, events: str | None, quiet: bool
) -> "Summary":
    """Hunt with the handlers the options ask for; they are closed however it ends."""
    from assay.campaign.events import CampaignFinished, CampaignStarted
    from assay.campaign.hunt.hunting import hunt as run_hunt
    from assay.cli.interruption import Interruption
    from assay.report.lines import PlainLines
    from assay.report.live import LiveDisplay
    from assay.report.ndjson import EventWriter

    options, notice = _resolved(request, settings, url, quiet)
    with ExitStack() as stack:
        handlers: list[Handler] = []
        if events is not None:
            handlers.append(stack.enter_context(EventWriter(events, append=request.resume)))
        if not quiet and sys.stderr is not None:
            if notice:
                typer.echo(notice, err=True)
            if sys.stderr.isatty() and not _dumb_terminal():
                handlers.append(stack.enter_context(LiveDisplay(sys.stderr)))
            else:
                handlers.append(stack.enter_context(PlainLines(sys.stderr)))
        interruption = stack.enter_context(Interruption())
        for event in run_hunt(options, interruption.stop):
            if isinstance(event, CampaignStarted):
                interruption.patience = 1  # from now on there is a trial to finish
            for handler in handlers:
                handler(event)
            if isinstance(event, CampaignFinished):
                return event.summary
        raise AssertionError("a hunt ends with CampaignFinished")


def _resolved(
    request: "Request", settings: "Config", url: str, quiet: bool
) -> "tuple[HuntOptions, str]":
    """The options of the hunt; says so if a catalogue has to be made first."""
    from assay.campaign.hunt.request import hunt_options
    from assay.cli.apis import told
    from assay.report.working import working

    with ExitStack() as stack:
        shown: dict[str, Any] = {}

        def on_build(target: "Target", progress: "BuildProgress") -> None:
            if target.name not in shown:
                name = f"catalogue of {target.library}"
                if quiet:
                    why = "there is none of this version and format"
                    typer.echo(f"making the {name}, which takes minutes: {why}", err=True)
                shown[target.name] = told(stack.enter_context(working(sys.stderr, name, quiet)))
            shown[target.name](progress)

        return hunt_options(request, settings, url, on_build)


def _dumb_terminal() -> bool:
    import os

    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")
