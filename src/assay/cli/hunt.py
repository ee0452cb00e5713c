"""``assay hunt``: look for bugs."""

import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from assay.cli.duration import parse_duration
from assay.cli.options import (
    AllOption,
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
from assay.suggest import unknown

if TYPE_CHECKING:
    from assay.campaign.events import Handler, Summary
    from assay.campaign.hunt.hunting import HuntOptions
    from assay.config import Config

DEFAULT_BUDGET_SECONDS = 120.0
#: Stores keep 64-bit integers.
LARGEST = 2**63 - 1


class Request(msgspec.Struct, frozen=True):
    """What was asked for, by option or configuration; None or () where nothing was."""

    techniques: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    cases: int | None = None
    budget_seconds: float | None = None
    seed: int | None = None
    resume: bool = False
    ops: tuple[str, ...] = ()
    witnesses: bool = True
    preset: str = ""
    lines: str = ""


#: The technique that a preset means.
PRESETS = {"muffin": "synthesize-muffin"}


def hunt(
    technique: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Techniques to use.  [default: single-op,synthesize]"),
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
    witnesses: Annotated[
        bool,
        typer.Option(
            help="Show disagreements to other implementations too, if --targets names only one."
        ),
    ] = True,
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Settings of a published method: muffin.")
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

    The exit code is 1 if the hunt found a bug, else 0. Ctrl-C stops it (exit
    code 130) with everything stored; --resume continues it.

    \b
    Examples:
      assay hunt --budget 2m
      assay hunt --targets keras-tensorflow,keras-torch --cases 500 --seed 7
      assay hunt --ops "keras.layers.Conv*" --ops keras.ops.pad
      assay hunt --preset muffin --cases 100
      assay hunt --resume
    """
    if events == "-" and json:
        raise AssayError("--events - and --json both want stdout. Write the events to a file.")
    from assay.config import load

    settings = load(config)
    request = requested(settings, technique, targets, budget, cases, seed, resume, ops)
    request = msgspec.structs.replace(request, witnesses=witnesses, lines=lines or "")
    request = with_variant(request, preset, unit)
    url = store_url(store, settings)

    from assay.report.console import show
    from assay.report.findings import hunt_result
    from assay.report.streams import write_json

    summary = _run(request, settings, url, events, quiet)
    if json:
        write_json(summary)
    elif not quiet:
        result = hunt_result(summary, everything, repeated_options(store, config))
        show(result, file=sys.stderr if events == "-" else None)
    if summary.interrupted:
        return 130
    return 1 if any(finding.category == "bug" for finding in summary.findings) else 0


def requested(
    settings: "Config",
    technique: str | None = None,
    targets: str | None = None,
    budget: str | None = None,
    cases: str | None = None,
    seed: str | None = None,
    resume: bool = False,
    ops: Sequence[str] | None = None,
) -> Request:
    """Options and configuration together, checked. An option always wins.

    --cases or --budget on the command line replaces both of the configuration:
    whoever types one limit does not expect a second one from a file.
    """
    defaults = settings.hunt
    file = settings.path
    limited = budget is not None or cases is not None
    if budget is not None:
        seconds: float | None = parse_duration(budget)
    elif defaults.budget is not None and not limited:
        seconds = parse_duration(str(defaults.budget), f"{file}: hunt.budget")
    else:
        seconds = None
    if cases is not None:
        count: int | None = _within("--cases", whole_number("--cases", cases), 1)
    elif defaults.cases is not None and not limited:
        count = _within(f"{file}: hunt.cases", defaults.cases, 1)
    else:
        count = None
    if seed is not None:
        start: int | None = _within("--seed", whole_number("--seed", seed), 0)
    elif defaults.seed is not None and not resume:
        start = _within(f"{file}: hunt.seed", defaults.seed, 0)
    else:
        start = None
    return Request(
        techniques=names("--technique", technique) or defaults.technique,
        targets=names("--targets", targets) or defaults.targets,
        ops=names("--ops", ",".join(ops) if ops else None) or defaults.ops,
        cases=count,
        budget_seconds=seconds,
        seed=start,
        resume=resume,
    )


def with_variant(request: Request, preset: str | None, unit: bool) -> Request:
    """The request with the techniques that a preset or ``--unit`` stands for."""
    if preset is not None:
        if preset not in PRESETS:
            raise AssayError(unknown("preset", preset, tuple(PRESETS), "Available"))
        if request.techniques or unit:
            given = "--unit" if unit else "--technique"
            raise AssayError(f"--preset {preset} chooses the technique. Leave {given} out.")
        return msgspec.structs.replace(request, techniques=(PRESETS[preset],), preset=preset)
    if not unit:
        return request
    if request.techniques not in ((), ("synthesize",)):
        raise AssayError(
            "--unit is a variant of synthesize; received --technique "
            f"{','.join(request.techniques)}. Use --technique synthesize."
        )
    return msgspec.structs.replace(request, techniques=("synthesize-unit",))


def _within(name: str, number: int, lowest: int) -> int:
    if not lowest <= number <= LARGEST:
        raise AssayError(f"{name} must be at least {lowest} and below 2**63; received {number}.")
    return number


def _run(
    request: Request, settings: "Config", url: str, events: str | None, quiet: bool
) -> "Summary":
    """Hunt with the handlers the options ask for; they are closed however it ends."""
    options, notice = hunt_options(request, settings, url)

    from assay.campaign.hunt.hunting import hunt as run_hunt
    from assay.report.lines import PlainLines
    from assay.report.live import LiveDisplay
    from assay.report.ndjson import EventWriter

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
        return run_hunt(options, handlers)


def _dumb_terminal() -> bool:
    import os

    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


def hunt_options(request: Request, settings: "Config", url: str) -> "tuple[HuntOptions, str]":
    """Everything resolved, and a line about what is being resumed, if anything is."""
    from assay.campaign.hunt.vocabulary import select
    from assay.ops import specs
    from assay.sources import techniques
    from assay.targets import DEFAULT_TARGETS, known_targets, resolve

    available = techniques()
    for name in request.techniques:
        if name not in available:
            raise AssayError(unknown("technique", name, available, "Available"))
    select(request.ops, specs())
    known = known_targets(settings)
    resolve(request.targets, known, cases=True)
    notice = ""
    if request.resume and request.seed is None:
        request, notice = newest_unfinished(request, url)
    if request.cases is None and request.budget_seconds is None:
        request = msgspec.structs.replace(request, budget_seconds=DEFAULT_BUDGET_SECONDS)
    seed = request.seed if request.seed is not None else secrets.randbelow(10**9)

    from assay.campaign.hunt.hunting import HuntOptions

    return HuntOptions(
        techniques=request.techniques,
        targets=resolve(request.targets or DEFAULT_TARGETS, known, cases=True),
        ops=request.ops,
        witnesses=request.witnesses,
        lines=request.lines,
        preset=request.preset,
        seed=seed,
        cases=request.cases,
        budget_seconds=request.budget_seconds,
        resume=request.resume,
        store=url,
    ), notice


def newest_unfinished(request: Request, url: str) -> tuple[Request, str]:
    """The request completed from the newest unfinished campaign of the store."""
    from assay.store import open_store

    with open_store(url) as opened:
        unfinished = [
            campaign
            for campaign in opened.campaigns()
            if not campaign.finished and campaign.config.get("techniques") != ["check"]
        ]
    if not unfinished:
        return request, f"Nothing to resume in {url}: a new hunt starts."
    campaign = unfinished[-1]  # the store lists the oldest first
    saved: dict[str, Any] = campaign.config
    limits: dict[str, Any] = campaign.statistics.get("limits", {})
    limited = request.cases is not None or request.budget_seconds is not None
    completed = msgspec.structs.replace(
        request,
        seed=campaign.seed,
        techniques=request.techniques or tuple(saved.get("techniques", ())),
        targets=request.targets or tuple(saved.get("targets", ())),
        ops=request.ops or tuple(saved.get("ops", ())),
        witnesses=request.witnesses and bool(saved.get("witnesses", True)),
        preset=request.preset or saved.get("preset", ""),
        cases=request.cases if limited else limits.get("cases"),
        budget_seconds=request.budget_seconds if limited else limits.get("budget_seconds"),
    )
    return completed, (
        f"Resuming campaign {campaign.id} (seed {campaign.seed}) at trial {campaign.next_trial:,}."
    )
