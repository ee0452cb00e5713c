"""``assay ops``: the vocabulary."""

import sys
from typing import Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption, names


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
