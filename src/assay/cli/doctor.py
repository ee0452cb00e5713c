"""``assay doctor``: which targets are here, and do they work?"""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.targets import Target
    from assay.targets.probe import Report


def doctor(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TARGET]...", help="Only these; without them: all that are known."),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Try every target with a tiny model, and say what to install for those missing.

    The exit code is 0, whatever works.

    \b
    Examples:
      assay doctor
      assay doctor keras-torch keras-jax
    """
    from assay.config import load
    from assay.report.console import show
    from assay.report.doctor import doctor_table
    from assay.report.streams import write_json
    from assay.targets import known_targets, resolve

    known = known_targets(load(config))
    chosen = resolve(tuple(dict.fromkeys(targets)) if targets else tuple(known), known)
    reports = probed(chosen, quiet)
    if json:
        write_json({"targets": reports})
    else:
        show(doctor_table(reports, quiet))
    return 0


def probed(chosen: "Sequence[Target]", quiet: bool) -> "tuple[Report, ...]":
    """Probe with a spinner on a terminal: the libraries take seconds to import."""
    from assay.targets.probe import probe

    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return probe(chosen)
    from assay.report.console import console

    done: list[str] = []
    with console(sys.stderr).status(f"Trying {len(chosen)} targets") as status:

        def on_report(report: "Report") -> None:
            done.append(report.name)
            status.update(f"Trying {len(chosen)} targets: {len(done)} done ({report.name})")

        return probe(chosen, on_report)
