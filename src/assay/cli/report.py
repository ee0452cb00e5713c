"""``assay report``: a page about a store that works without a network."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.failures import warn
from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption, store_url
from assay.errors import AssayError
from assay.suggest import unknown

if TYPE_CHECKING:
    from assay.ir import Finding
    from assay.report.site import Entry
    from assay.store import Store


def report(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.")
    ] = "report",
    campaign: Annotated[
        str | None, typer.Option(metavar="ID", help="Only findings of this campaign.")
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Write index.html, report.md and report.json: summary, evidence, scripts.

    The page needs no network. The exit code is 0.

    \b
    Example:
      assay report -o report/
    """
    if not output:
        raise AssayError('--output needs the name of a folder; received "".')
    from assay.config import load
    from assay.ir import to_json
    from assay.report.findings import counts, listed
    from assay.report.site import Site, html, markdown, plain_site
    from assay.report.streams import write_json
    from assay.report.text import plural
    from assay.store import open_store

    url = store_url(store, load(config))
    with open_store(url, create=False) as opened:
        campaigns = opened.campaigns()
        known = [item.id for item in campaigns]
        if campaign is not None and campaign not in known:
            raise AssayError(unknown("campaign", campaign, known, f"In {url}"))
        found = opened.findings(campaign_id=campaign)
        site = Site(
            campaigns=tuple(item for item in campaigns if campaign in (None, item.id)),
            entries=tuple(_entry(opened, item) for item in listed(found, True)),
        )
    folder = Path(output)
    document = plain_site(site)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(html(site), encoding="utf-8")
        (folder / "report.md").write_text(markdown(site), encoding="utf-8")
        (folder / "report.json").write_text(to_json(document) + "\n", encoding="utf-8")
    except (FileExistsError, NotADirectoryError) as error:
        raise AssayError(
            f"--output cannot write to {output}: {error.strerror}. Name a folder."
        ) from error
    if json:
        write_json(document)
    elif not quiet:
        bugs = counts(found).get("bug", 0)
        counted = f"{plural(bugs, 'bug')}, {plural(len(found), 'finding')}"
        typer.echo(f"{folder / 'index.html'}: {counted}", err=True)
    return 0


def _entry(store: "Store", finding: "Finding") -> "Entry":
    """The finding as the page shows it: bugs with scripts, short and checked."""
    from assay.errors import StoreError
    from assay.report.site import Entry
    from assay.reproduce import numpy_says, short

    if finding.category != "bug":
        return Entry(finding)
    numpy = numpy_says(finding)
    try:
        lines = short(finding, store.arrays(finding.id))
    except StoreError:  # its script says so
        lines = ""
    also = (numpy,) if numpy is not None else ()
    return Entry(finding, _script(store, finding), lines, also)


def _script(store: "Store", finding: "Finding") -> str:
    """The finding's script; why there is none, as a comment."""
    from assay.campaign.faults import Faults
    from assay.errors import StoreError
    from assay.reproduce import CannotReproduce, script

    told: list[str] = []
    with Faults(told.append).excused("no script"):
        try:
            return script(finding, store.arrays(finding.id))
        except (CannotReproduce, StoreError) as error:
            return f"# no script: {error}\n"
    warn(f"{finding.id}: {told[0]}")
    return f"# {told[0]}\n"
