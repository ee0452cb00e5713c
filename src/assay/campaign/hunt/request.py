"""From what was asked for, by a command or a program, to the options of a hunt."""

import secrets
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from assay.campaign.catalogues import BuildProgress
from assay.campaign.hunt.catalogued import (
    OnBuild,
    check_rewriting,
    chosen_for,
    drawing_named,
    silent,
)
from assay.campaign.hunt.options import HuntOptions
from assay.campaign.hunt.vocabulary import select
from assay.campaign.running.duration import parse_duration
from assay.campaign.running.limits import limits_of
from assay.catalogue.chosen import Chosen
from assay.config import Config, MutateConfig
from assay.errors import AssayError
from assay.ir import from_plain
from assay.libraries import vocabulary
from assay.sources import techniques
from assay.sources.mutate.settings import checked
from assay.store import open_store
from assay.suggest import unknown
from assay.targets import DEFAULT_KERNELS, DEFAULT_TARGETS, Target, known_targets, resolve
from assay.targets.probe import missing_module

DEFAULT_BUDGET_SECONDS = 120.0
#: A hunt this long has time for further kernels of the default targets.
LONG_SECONDS = 120.0
LONG_CASES = 2000
#: Of the time of a hunt, what reducing may take at most.
LARGEST_SHARE = 0.2
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
    rules: tuple[str, ...] = ()
    inputs: int | None = None
    tolerance: tuple[float, float] | None = None
    drawing: str | None = None
    witnesses: bool = True
    preset: str = ""
    mutation: MutateConfig | None = None
    lines: str = ""
    #: Targets that join by themselves, where that is decided: a resumed hunt has those of then.
    kernels: tuple[str, ...] | None = None
    reduce_share: float | None = None
    force: bool = False
    deadline: str | None = None
    memory: str | None = None


def with_defaults(asked: Request, settings: Config) -> Request:
    """The request with what the configuration says where nothing was asked, checked.

    A limit that was asked for replaces both of the configuration: whoever types one does not
    expect a second one from a file.
    """
    defaults, file = settings.hunt, settings.path
    cases, seconds, seed = asked.cases, asked.budget_seconds, asked.seed
    if cases is None and seconds is None:
        if defaults.budget is not None:
            seconds = parse_duration(str(defaults.budget), f"{file}: hunt.budget")
        if defaults.cases is not None:
            cases = _within(f"{file}: hunt.cases", defaults.cases, 1)
    elif cases is not None:
        _within("--cases", cases, 1)
    if seed is not None:
        _within("--seed", seed, 0)
    elif defaults.seed is not None and not asked.resume:
        seed = _within(f"{file}: hunt.seed", defaults.seed, 0)
    share = asked.reduce_share
    if share is not None:
        _a_share("--reduce-share", share)
    elif defaults.reduce_share is not None:
        share = _a_share(f"{file}: hunt.reduce_share", defaults.reduce_share)
    return msgspec.structs.replace(
        asked,
        reduce_share=share,
        techniques=asked.techniques or defaults.technique,
        mutation=asked.mutation or _mutation(settings.mutate, file),
        targets=asked.targets or defaults.targets,
        ops=asked.ops or defaults.ops,
        cases=cases,
        budget_seconds=seconds,
        seed=seed,
    )


def with_models(
    request: Request, models: tuple[str, ...], preset: str | None
) -> MutateConfig | None:
    """The settings of ``mutate`` with these seed models, if any are named."""
    if not models:
        return request.mutation
    if "mutate" not in request.techniques and preset != "audee":
        raise AssayError("--models are those of mutate. Add --technique mutate.")
    given = request.mutation or MutateConfig()
    return checked(msgspec.structs.replace(given, models=models), "mutate")


def _mutation(given: MutateConfig, file: str) -> MutateConfig | None:
    """The settings of a file; None if it has none of its own."""
    return checked(given, f"{file}: mutate") if given != MutateConfig() else None


def _within(name: str, number: int, lowest: int) -> int:
    if not lowest <= number <= LARGEST:
        raise AssayError(f"{name} must be at least {lowest} and below 2**63; received {number}.")
    return number


def _a_share(name: str, number: float) -> float:
    if not 0 <= number <= LARGEST_SHARE:
        raise AssayError(f"{name} must be from 0 to {LARGEST_SHARE}; received {number:g}.")
    return number


def hunt_options(
    request: Request, settings: Config, url: str, on_build: OnBuild = silent
) -> tuple[HuntOptions, str]:
    """Everything resolved, and lines about what is being resumed or left out, if anything is.

    Makes the catalogues that are wanted and not there, which takes minutes; ``on_build`` is told.
    """
    began, built = time.monotonic(), 0.0

    def building(target: Target, progress: BuildProgress) -> None:
        nonlocal built
        built = built or time.monotonic()
        on_build(target, progress)

    available = techniques()
    for name in request.techniques:
        if name not in available:
            raise AssayError(unknown("technique", name, available, "Available"))
    known = known_targets(settings)
    notice, named = "", bool(request.targets)
    if request.resume and request.seed is None:
        request, notice = newest_unfinished(request, url)
    chosen = resolve(request.targets or DEFAULT_TARGETS, known, cases=True)
    asked = _rewriting(request)
    check_rewriting(asked, request.techniques, request.cases)
    words = vocabulary(target.library for target in chosen)
    catalogued, told = chosen_for(
        asked, request.techniques, request.ops, chosen, words, building, settings.corrections
    )
    prepared = (built or time.monotonic()) - began  # catalogues are made beside the budget
    if not catalogued.snapshots:
        select(request.ops, words)
    if request.cases is None and request.budget_seconds is None and not asked.inputs:
        request = msgspec.structs.replace(request, budget_seconds=DEFAULT_BUDGET_SECONDS)
    seed = request.seed if request.seed is not None else secrets.randbelow(10**9)

    return HuntOptions(
        techniques=request.techniques,
        targets=chosen,
        named=named,
        kernels=_kernels(request, known),
        ops=request.ops,
        witnesses=request.witnesses,
        lines=request.lines,
        preset=request.preset,
        mutation=request.mutation or MutateConfig(),
        chosen=catalogued,
        seed=seed,
        cases=request.cases,
        budget_seconds=request.budget_seconds,
        prepared_seconds=prepared,
        resume=request.resume,
        store=url,
        limits=limits_of(settings, request.deadline, request.memory),
        reduce_share=request.reduce_share,
        force=request.force,
    ), "\n".join([notice] * bool(notice) + told)


def _rewriting(request: Request) -> Chosen:
    """What is asked of ``rewrite``."""
    return Chosen(
        rules=request.rules,
        inputs=0 if request.inputs is None else _within("--inputs", request.inputs, 1),
        tolerance=request.tolerance,
        drawing=drawing_named(request.drawing or "usual"),
    )


def _kernels(request: Request, known: Mapping[str, Target]) -> tuple[Target, ...]:
    """Other kernels of the default targets, if nobody named targets and there is time for it.

    Two more processes take ten CPU seconds to start, and 700 MB each.
    """
    seconds, cases = request.budget_seconds, request.cases
    short = (seconds or LONG_SECONDS) < LONG_SECONDS or (cases or LONG_CASES) < LONG_CASES
    named = () if request.targets or short else DEFAULT_KERNELS
    found = resolve(named if request.kernels is None else request.kernels, known, cases=True)
    return tuple(target for target in found if not missing_module(target))


def _pair(saved: list[float] | None) -> tuple[float, float] | None:
    return None if saved is None else (saved[0], saved[1])


def newest_unfinished(request: Request, url: str) -> tuple[Request, str]:
    """The request completed from the newest unfinished campaign of the store."""
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
    joined = tuple(name for name in DEFAULT_KERNELS if name in campaign.versions)
    completed = msgspec.structs.replace(
        request,
        seed=campaign.seed,
        techniques=request.techniques
        or (() if saved.get("usual") else tuple(saved.get("techniques", ()))),
        targets=request.targets or tuple(saved.get("targets", ())),
        kernels=() if request.targets else joined,
        ops=request.ops or tuple(saved.get("ops", ())),
        rules=request.rules or tuple(saved.get("rules", ())),
        inputs=request.inputs or (saved.get("inputs") if request.cases is None else None),
        tolerance=request.tolerance or _pair(saved.get("tolerance")),
        drawing=request.drawing or saved.get("drawing"),
        witnesses=request.witnesses and bool(saved.get("witnesses", True)),
        preset=request.preset or saved.get("preset", ""),
        mutation=from_plain(saved["mutate"], MutateConfig)
        if "mutate" in saved
        else request.mutation,
        cases=request.cases if limited else None if "inputs" in saved else limits.get("cases"),
        budget_seconds=request.budget_seconds if limited else limits.get("budget_seconds"),
    )
    return completed, (
        f"Resuming campaign {campaign.id} (seed {campaign.seed}) at trial {campaign.next_trial:,}."
    )
