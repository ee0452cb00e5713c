"""``assay findings``: list what is stored."""

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import (
    AllOption,
    ConfigOption,
    JsonOption,
    QuietOption,
    StoreOption,
    names,
    repeated_options,
    store_url,
)
from assay.errors import AssayError
from assay.suggest import closest, unknown

if TYPE_CHECKING:
    from assay.ir import Finding


def findings(
    kind: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these kinds (assay explain lists them).")
    ] = None,
    category: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these categories.")
    ] = None,
    op: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this op, by its full or last name.")
    ] = None,
    campaign: Annotated[
        str | None, typer.Option(metavar="ID", help="Only findings of this campaign.")
    ] = None,
    blamed: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only findings that blame one of these.")
    ] = None,
    flat: Annotated[
        bool, typer.Option("--flat", help="Every finding by itself, not one line per cause.")
    ] = False,
    groups: Annotated[
        bool, typer.Option("--groups", help="One line per cause: the default.", hidden=True)
    ] = False,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Compare with the bugs known in FILE; 1 if one is new."),
    ] = None,
    update_baseline: Annotated[
        bool,
        typer.Option("--update-baseline", help="Write the bugs that are there into that FILE."),
    ] = False,
    everything: AllOption = False,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """List the bugs in the store by cause, the worst first.

    A cause is what one change in a library would fix; several ops may show it.
    Only bugs are listed, the rest is counted, unless --all or --category asks.
    --json gives every finding that matches. The exit code is 0, findings or not;
    with --baseline it is 1 if there is a bug that the baseline does not know.

    \b
    Examples:
      assay findings
      assay findings --flat
      assay findings --all --op AveragePooling2D
      assay findings --category unsupported --json
      assay findings --baseline known.json --update-baseline
    """
    from assay.ir import CATEGORIES, KINDS

    kinds = _checked("kind", names("--kind", kind), KINDS)
    categories = _checked("category", names("--category", category), CATEGORIES)

    from assay.config import load
    from assay.report.causes import causes_json
    from assay.report.console import show
    from assay.report.findings import (
        by_cause,
        causes_table,
        findings_result,
        findings_table,
        listed,
    )
    from assay.report.streams import write_json
    from assay.store import open_store

    url = store_url(store, load(config))
    with open_store(url, create=False) as opened:
        if campaign is not None:
            known = [item.id for item in opened.campaigns()]
            if campaign not in known:
                raise AssayError(unknown("campaign", campaign, known, f"In {url}"))
        found = opened.findings(campaign_id=campaign, kinds=kinds, categories=categories)
    if op is not None:
        found = of_op(found, op)
    if blamed is not None:
        wanted = set(names("--blamed", blamed))
        tested = tuple(sorted({target for item in found for target in item.targets}))
        if found:
            _checked("target", tuple(sorted(wanted)), tested)
        found = tuple(item for item in found if wanted & set(item.blamed))
    everything = everything or bool(categories)
    if update_baseline and baseline is None:
        raise AssayError("--update-baseline needs the file: add --baseline FILE.")
    if baseline is not None:
        return _against(baseline, found, update_baseline, json, quiet)
    if flat and groups:
        raise AssayError("--flat and --groups exclude each other. Leave one out.")
    if json:
        write_json(causes_json(found))
    elif quiet:
        rows = listed(found, everything)
        if rows:
            show(findings_table(rows) if flat else causes_table(by_cause(found, everything)))
    else:
        options = repeated_options(store, config)
        show(findings_result(found, url, everything, options, flat))
    return 0


def _against(path: str, found: "tuple[Finding, ...]", update: bool, json: bool, quiet: bool) -> int:
    """Compare the bugs with a baseline, or make it hold them."""
    from assay.campaign.triage import baseline
    from assay.report.console import show
    from assay.report.findings import baseline_result
    from assay.report.streams import write_json
    from assay.report.text import what

    bugs = tuple(item for item in found if item.category == "bug")
    if update:
        baseline.write(path, bugs, [what(bug) for bug in bugs])
        if not quiet:
            typer.echo(f"{path}: {len(bugs)} bugs", err=True)
        return 0
    result = baseline.compared(bugs, baseline.read(path))
    if json:
        write_json({"new": result.new, "known": result.known, "fixed": result.fixed})
    else:
        gone = [(entry.id, entry.what or entry.op) for entry in result.fixed]
        show(baseline_result(result.new, len(result.known), gone))
    return 1 if result.new else 0


def of_op(found: "tuple[Finding, ...]", op: str) -> "tuple[Finding, ...]":
    """The findings of an op, named in full or by its last part."""
    matching = tuple(item for item in found if op in (item.op, item.op.rpartition(".")[2]))
    if matching or not found:
        return matching
    ops = {item.op for item in found} | {item.op.rpartition(".")[2] for item in found}
    near = closest(op, ops)
    hint = f' Did you mean "{near}"?' if near else " assay findings --all lists all."
    raise AssayError(f'no finding is of op "{op}".{hint}')


def _checked(what: str, given: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    for name in given:
        if name not in known:
            raise AssayError(unknown(what, name, known, "Known"))
    return given
