"""``assay explain``: what a word means that Assay shows, and what an entry silences."""

from typing import Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption
from assay.errors import AssayError
from assay.suggest import closest, unknown


def explain(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]",
            help="A kind or category of findings, a measure or verdict of a check, or an entry "
            "that silenced something, as a hunt names it. Without it: all words.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Say in plain words what a word means that Assay shows, or what an entry silences and why.

    \b
    Examples:
      assay explain inconsistency
      assay explain D_MAD
      assay explain nothing to compare
      assay explain max-pooling-nan
    """
    from assay.judge.silenced import described
    from assay.report.console import show
    from assay.report.explanations import LABELS, Explanation, layout, words
    from assay.report.streams import write_json

    chosen = words()
    if name:
        received = " ".join(name)
        entries = [
            Explanation(
                item.id,
                "entry",
                item.reason,
                silences=item.silences,
                link=item.link,
                versions=item.versions,
            )
            for item in described()
        ]
        known = [item.name for item in chosen]
        chosen = [item for item in (*chosen, *entries) if item.called(received)]
        if not chosen:
            near = closest(received, [item.name for item in entries])
            if near and not closest(received, known):
                known.append(near)
            raise AssayError(unknown("word or entry", received, known, "Known"))
    documents = [item.document() for item in chosen]
    if json:
        write_json(documents[0] if name else {"explanations": documents})
        return 0
    # 88 columns: prose is read, not grepped, so it is wrapped in a pipe too; links are not.
    for index, item in enumerate(chosen):
        show(*layout(item, first=index == 0), width=max(88, LABELS + len(item.link)))
    return 0
