"""``assay replay``: is a finding still there?"""

import sys
from typing import Annotated

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


def replay(
    identifiers: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Ids of findings, or how they begin.")
    ],
    attempts: Annotated[
        str, typer.Option(metavar="N", help="How often to run each.", show_default=True)
    ] = "2",
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Run findings again with the libraries installed now, and say which are still there.

    The exit code is 1 if any bug is still present, 0 if none reproduces; 3 if Assay
    itself failed on one, after the others.

    \b
    Examples:
      assay replay b3f1
      assay replay b3f1 90ac --attempts 5
    """
    times = whole_number("--attempts", attempts)
    if not 1 <= times <= 1000:
        raise AssayError(f"--attempts must be from 1 to 1000; received {times}.")
    from assay.config import load
    from assay.report.console import show
    from assay.report.replay import replay_line
    from assay.report.streams import write_json
    from assay.store import open_store
    from assay.targets import known_targets

    settings = load(config)
    with open_store(store_url(store, settings), create=False) as opened:
        by_id = {item.id: item for item in map(opened.finding, identifiers)}

    from assay.campaign.faults import Faults
    from assay.campaign.triage.replay import Replay
    from assay.campaign.triage.replay import replay as run_again

    results: list[Replay] = []
    faults = Faults(warn)
    for result in run_again(tuple(by_id.values()), known_targets(settings), faults, times):
        results.append(result)
        if not quiet:
            line = replay_line(
                by_id[result.id],
                reproduced=result.reproduced,
                attempts=result.attempts,
                message=result.message,
                versions_differ=result.versions_differ,
                machine_differs=result.machine_differs,
                fixed=result.fixed,
                still=result.still,
            )
            show(line, file=sys.stderr if json else None)
    if json:
        write_json({"replays": results, "faults": faults.count})
    present = any(r.reproduced and by_id[r.id].category == "bug" for r in results)
    return 3 if faults.count else 1 if present else 0
