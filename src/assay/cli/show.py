"""``assay show``: the page of one finding."""

from typing import Annotated

import typer

from assay.cli.options import (
    ConfigOption,
    JsonOption,
    QuietOption,
    StoreOption,
    repeated_options,
    store_url,
)


def show(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a finding, or how it begins.")
    ],
    why: Annotated[
        bool, typer.Option("--why", help="Say which rule decided the category, and by what.")
    ] = False,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Show one finding: the call, what each target gave, who is wrong and why.

    The exit code is 0.

    \b
    Example:
      assay show b3f1
      assay show --why b3f1
    """
    from assay.config import load
    from assay.ir import severity, siblings_of, to_plain
    from assay.report.console import show as print_page
    from assay.report.page import finding_page
    from assay.report.streams import write_json
    from assay.report.why import why_page
    from assay.reproduce import numpy_says, short
    from assay.store import open_store

    url = store_url(store, load(config))
    with open_store(url, create=False) as opened:
        finding = opened.finding(identifier)
        arrays = opened.arrays(finding.id)
        bugs = opened.findings(categories=("bug",))
    if json:
        write_json({**to_plain(finding), "severity": severity(finding)})
    elif why:
        print_page(why_page(finding))
    else:
        numpy = numpy_says(finding)
        also = [numpy] if numpy is not None else []
        options = repeated_options(store, config)
        siblings = [item for item in siblings_of(finding, bugs) if item.id != finding.id]
        print_page(finding_page(finding, options, short(finding, arrays), also, siblings))
    return 0
