"""``assay apis``: catalogues of what libraries can be asked."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption

if TYPE_CHECKING:
    from assay.campaign.catalogues import BuildProgress
    from assay.campaign.catalogues.building import OnProgress
    from assay.catalogue.records import Entry, Snapshot
    from assay.report.working import Tell
    from assay.targets import Target


def apis(
    target: Annotated[
        str | None,
        typer.Argument(metavar="TARGET", help="Whose library: torch, tensorflow, jax …"),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="PATTERN", help='Part of a name, or a shell pattern: fft, "torch.linalg.*".'
        ),
    ] = None,
    build: Annotated[
        bool, typer.Option("--build", help="Make the catalogue if there is none (minutes).")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Make it anew.")] = False,
    corrections: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A TOML file of what is to be corrected in it.  [default: the configured one]",
        ),
    ] = None,
    measure: Annotated[
        int,
        typer.Option(metavar="N", help="Say how many of N new draws of each API are valid.", min=0),
    ] = 0,
    json: JsonOption = False,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Show the catalogue of a library's APIs: calls that work, and within which bounds.

    It is harvested from the installed library and kept in the user's cache, one per version;
    the technique rewrite draws from it. An interrupted build goes on where it was.

    \b
    Examples:
      assay apis
      assay apis torch --build
      assay apis torch "torch.fft.*"
      assay apis torch --measure 20 --json
    """
    import msgspec

    from assay.catalogue.corrections import corrected, read
    from assay.config import load
    from assay.errors import AssayError
    from assay.report.apis import catalogues_table, document, entries_table, namespaces_table
    from assay.report.console import show
    from assay.report.streams import write_json
    from assay.targets import known_targets, resolve
    from assay_worker.catalogue import HARVESTS

    settings = load(config)
    path = settings.corrections if corrections is None else corrections
    correction = read(path, frozenset(HARVESTS)) if path else None
    if target is None:
        if build or fresh:
            raise AssayError(f"whose catalogue? Name a target: {', '.join(sorted(HARVESTS))}.")
        made = _made()
        if json:
            write_json({"catalogues": [document(item, (), item.digest) for item in made]})
        elif made:
            show(catalogues_table(made))
        else:
            raise AssayError(
                "there is no catalogue yet. Make one with: assay apis TARGET --build "
                f"({', '.join(sorted(HARVESTS))})"
            )
        return 0
    (chosen,) = resolve((target,), known_targets(settings), cases=True)
    snapshot = _catalogue(chosen, build, fresh, quiet)
    if correction is not None:
        snapshot = corrected(snapshot, correction)
    digest = snapshot.digest
    entries = snapshot.entries if pattern is None else _selected(snapshot, pattern, chosen)
    if measure:
        chosen_ones = msgspec.structs.replace(snapshot, entries=entries)
        snapshot = _measured(chosen_ones, chosen, measure, quiet)
        entries = snapshot.entries
    if json:
        write_json({"catalogue": document(snapshot, entries, digest)})
    else:
        show(namespaces_table(snapshot, digest) if pattern is None else entries_table(entries))
    return 0


def _made() -> "list[Snapshot]":
    """Every catalogue in the cache that this Assay reads."""
    from assay.catalogue import storing
    from assay.errors import AssayError
    from assay_worker.catalogue import HARVESTS

    found = []
    for library in sorted(HARVESTS):
        for version in storing.versions(library):
            try:
                made = storing.load(library, version)
            except AssayError as error:
                typer.echo(f"assay: {error}", err=True)
                continue
            if made is not None:
                found.append(made)
    return found


def _catalogue(target: "Target", build: bool, fresh: bool, quiet: bool) -> "Snapshot":
    """The catalogue, made if asked for."""
    from assay.campaign.catalogues import catalogue_of
    from assay.cli.interruption import Interruption
    from assay.report.working import working

    with Interruption(), working(sys.stderr, target.name, quiet) as tell:
        waiting = "another process is making it: waiting"
        return catalogue_of(target, build or fresh, fresh, told(tell), lambda: tell(waiting, True))


def told(tell: "Tell") -> "OnProgress":
    """A handler that tells in one line how far a build is."""
    steps: set[str] = set()

    def on_progress(progress: "BuildProgress") -> None:
        new = progress.step not in steps
        steps.add(progress.step)
        tell(
            f"{progress.step}: {progress.done} of {progress.total}, "
            f"{progress.apis:,} APIs with {progress.calls:,} calls",
            new,
        )

    return on_progress


def _measured(snapshot: "Snapshot", target: "Target", draws: int, quiet: bool) -> "Snapshot":
    """The catalogue with shares of new draws."""
    from assay.campaign.catalogues import measured
    from assay.cli.interruption import Interruption
    from assay.report.working import working

    with Interruption(), working(sys.stderr, target.name, quiet) as tell:
        return measured(
            snapshot,
            target,
            draws,
            lambda done, total: tell(f"{done:,} of {total:,} draws", False),
        )


def _selected(snapshot: "Snapshot", pattern: str, target: "Target") -> "tuple[Entry, ...]":
    """The APIs that a pattern names; says so if it names them by another name."""
    from assay.campaign.catalogues import aliases_of, same_as
    from assay.campaign.hunt.vocabulary import matching
    from assay.errors import AssayError
    from assay.suggest import closest

    names = {entry.api for entry in snapshot.entries}
    named = matching(pattern, names)
    if not named:
        known = aliases_of(target)
        meant = {path: known[path] for path in matching(pattern, known) if known[path] in names}
        named = set(meant.values())
        if meant:
            typer.echo(f"assay: {same_as(meant, names)}", err=True)
    if not named:
        short = {entry.api.rpartition(".")[2]: entry.api for entry in snapshot.entries}
        near = closest(pattern.strip("*").rpartition(".")[2], short)
        hint = f' Did you mean "{short[near]}"?' if near else ""
        raise AssayError(
            f'no API of {snapshot.library} {snapshot.version} matches "{pattern}".{hint} '
            f"{len(snapshot.entries):,} were looked at."
        )
    return tuple(entry for entry in snapshot.entries if entry.api in named)
