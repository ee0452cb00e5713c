"""``assay ops``: the vocabulary."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from assay.cli.options import (
    ConfigOption,
    JsonOption,
    QuietOption,
    StoreOption,
    names,
    store_url,
)


def ops(
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATTERN]", help='Part of a name, or a shell pattern: Pooling, "keras.ops.*".'
        ),
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Only the counts, one row per family.")
    ] = False,
    probe: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Try every op listed on these targets (takes a while)."),
    ] = None,
    offers: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help="What this target's library says of its ops."),
    ] = None,
    met: Annotated[
        bool,
        typer.Option("--met", help="What the ops have met in the last campaign of the store."),
    ] = False,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """List the ops Assay can generate: their parameters, and whether it knows what they mean.

    \b
    Examples:
      assay ops Pooling
      assay ops "keras.ops.*" --json
      assay ops --summary --probe keras-tensorflow,keras-jax,keras-torch
      assay ops --offers torch@torch-1.6
      assay ops conv --met --store assay.db
    """
    from assay.campaign.hunt.vocabulary import entries, probe_ops, select, snapshot
    from assay.config import load
    from assay.errors import AssayError
    from assay.libraries import everything, vocabulary
    from assay.report.console import show
    from assay.report.ops import offers_table, ops_table, summary_table
    from assay.report.streams import write_json
    from assay.targets import known_targets, resolve

    patterns = () if pattern is None else (pattern,)
    if met:
        if summary or probe is not None or offers is not None:
            raise AssayError("--met stands alone. Leave --summary, --probe and --offers out.")
        _met(patterns, store, config, json)
        return 0
    if offers is not None:
        if summary or probe is not None:
            raise AssayError("--offers stands alone. Leave --summary and --probe out.")
        (target,) = resolve((offers,), known_targets(load(config)))
        told = snapshot(select(patterns, vocabulary([target.library])), target)
        if json:
            write_json({"offers": told})
        else:
            show(offers_table(told))
        return 0
    chosen = select(patterns, everything())
    works = None
    if probe is not None:
        targets = resolve(names("--probe", probe), known_targets(load(config)))
        done: list[str] = []

        def on_op(name: str) -> None:
            done.append(name)
            if not quiet and sys.stderr is not None and len(done) % 50 == 0:
                typer.echo(f"tried {len(done)} of {len(chosen)} ops", err=True)

        works = probe_ops(chosen, targets, on_op)
    listed = entries(chosen, works)
    if json:
        write_json({"ops": listed})
    else:
        show(summary_table(listed) if summary else ops_table(listed))
    return 0


def _met(patterns: Sequence[str], store: str | None, config: str | None, json: bool) -> None:
    """Print what ops have met in the last campaign of the store."""
    from assay.campaign.hunt.coverage import met
    from assay.campaign.hunt.vocabulary import select
    from assay.config import load
    from assay.errors import AssayError
    from assay.libraries import everything
    from assay.report.console import show
    from assay.report.ops import met_table
    from assay.report.streams import write_json
    from assay.store import open_store
    from assay.targets import known_targets

    settings = load(config)
    url = store_url(store, settings)
    with open_store(url, create=False) as opened:
        campaigns = opened.campaigns()
    if not campaigns:
        raise AssayError(f"{url} has no campaign yet. assay hunt makes one.")
    chosen = select(patterns, everything())
    told = met(campaigns[-1], known_targets(settings))
    listed = [item for op, item in told.items() if op in chosen]
    if json:
        write_json({"campaign": campaigns[-1].id, "ops": [item._asdict() for item in listed]})
    else:
        show(met_table(listed))
