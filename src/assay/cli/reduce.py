"""``assay reduce``: the smallest case that still shows a finding."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.failures import warn
from assay.cli.options import (
    ConfigOption,
    JsonOption,
    QuietOption,
    StoreOption,
    store_url,
    whole_number,
)
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.campaign.faults import Faults
    from assay.execute import Limits
    from assay.ir import Array, Finding
    from assay.targets import Target


_PRESETS = ("audee",)


def reduce(
    identifiers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID...]", help="Ids of findings, or how they begin.  [all bugs]"),
    ] = None,
    calls: Annotated[
        str | None,
        typer.Option(metavar="N", help="Judge at most N cases for each.  [default: 200]"),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also findings that were reduced before.")
    ] = False,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Tell responsible parameters by a published rule: audee (change rate).",
        ),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Make the cases of findings as small as they can be, and name the responsible parameters.

    Every step is judged again: kind, stage, op, blame and category stay. Without
    ids, all bugs that were not reduced yet. The original case is kept. The exit
    code is 0, or 1 if a finding does not show any more; 3 if Assay itself failed on
    one, after the others.

    \b
    Examples:
      assay reduce
      assay reduce b3f1 --calls 500
      assay reduce b3f1 --preset audee
    """
    budget = None if calls is None else whole_number("--calls", calls)
    if budget is not None and not 1 <= budget <= 100_000:
        raise AssayError(f"--calls must be from 1 to 100,000; received {budget}.")
    if preset not in (None, *_PRESETS):
        raise AssayError(f'unknown preset "{preset}". reduce has: {", ".join(_PRESETS)}.')
    from assay.campaign.faults import Faults
    from assay.campaign.running.limits import limits_of
    from assay.campaign.triage.confirm import script_of
    from assay.config import load
    from assay.ir.model import model_of
    from assay.ir.suite import suite_case_of
    from assay.report.console import show
    from assay.report.reduction import gone_line, reduced_line
    from assay.report.streams import write_json
    from assay.store import open_store
    from assay.targets import known_targets

    settings = load(config)
    with open_store(store_url(store, settings), create=False) as opened:
        if identifiers:
            found = tuple({f.id: f for f in map(opened.finding, identifiers)}.values())
        else:
            bugs = opened.findings(categories=["bug"])
            found = tuple(
                b
                for b in bugs
                if not b.others and model_of(b.case) is None and suite_case_of(b.case) is None
            )
        for finding in found:
            if finding.others:
                raise AssayError(
                    f"{finding.id} compares equivalent programs, which are not reduced yet. "
                    f"Run it again with: assay replay {finding.id}"
                )
            case = suite_case_of(finding.case)
            if case is not None:
                raise AssayError(
                    f"{finding.id} is about a case of ONNX's own ({case.name}), which is not "
                    f"reduced. A script that shows it: assay export {finding.id} -o repro.py"
                )
            model = model_of(finding.case)
            if model is not None:
                raise AssayError(
                    f"{finding.id} is about {model.title} as a whole; models are not reduced yet. "
                    f"A script that shows it: assay export {finding.id} -o repro.py"
                )
        wanted = [f for f in found if again or identifiers or f.reduction is None]
        results, gone = [], []
        faults = Faults(warn)
        targets = known_targets(settings)
        limits = limits_of(settings)
        for finding, small in _reduced(wanted, targets, budget, preset or "", faults, limits):
            line = None
            if small is None:
                gone.append(finding.id)
                line = gone_line(finding)
            else:
                with faults.excused(f"the reduction of {finding.id} was not stored"):
                    results.append(opened.replace_finding(*small, script=script_of(*small)))
                    line = reduced_line(finding, small[0])
            if line is not None and not quiet:
                show(line, file=sys.stderr if json else None)
    if json:
        write_json({"reduced": results, "gone": gone, "faults": faults.count})
    elif not wanted and not quiet:
        typer.echo("every bug is reduced already; --again starts anew", err=True)
    return 3 if faults.count else 1 if gone else 0


def _reduced(
    findings: "Sequence[Finding]",
    known: "Mapping[str, Target]",
    calls: int | None,
    preset: str,
    faults: "Faults",
    limits: "Limits",
) -> "Iterator[tuple[Finding, tuple[Finding, dict[str, Array]] | None]]":
    if not findings:
        return
    from contextlib import closing

    from assay.campaign.triage.confirm import scripted
    from assay.campaign.triage.interpreters import Interpreters
    from assay.campaign.triage.reduction import reduced
    from assay.campaign.triage.replay import laboratory_for
    from assay.libraries import everything

    vocabulary = everything()
    with (
        laboratory_for(findings, known, limits) as laboratory,
        closing(Interpreters(tuple(known.values()))) as interpreters,
    ):
        for finding in findings:
            done, small = False, None
            with faults.excused(f"{finding.id} ({finding.kind} of {finding.op}) was not reduced"):
                small = reduced(finding, laboratory, vocabulary, calls, preset)
                if small is not None:
                    small = scripted(*small, interpreters), small[1]
                done = True
            if done:
                yield finding, small
