"""``assay explain``: what a finding kind or category means, and what an entry silences."""

from typing import Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption
from assay.errors import AssayError
from assay.suggest import closest, unknown


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND|CATEGORY|ENTRY]",
            help="Without it: all kinds and categories. A hunt names the entries that silenced.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Say in plain words what a kind or category means, or what an entry silences and why.

    \b
    Examples:
      assay explain inconsistency
      assay explain unsupported
      assay explain max-pooling-nan
    """
    from assay.judge.silenced import described
    from assay.report.console import show
    from assay.report.explanations import CATEGORIES, KINDS, LABELS, Explanation, layout
    from assay.report.streams import write_json

    words = [Explanation(key, "kind", text) for key, text in KINDS.items()]
    words += [Explanation(key, "category", text) for key, text in CATEGORIES.items()]
    chosen = words
    if name is not None:
        entries = [
            Explanation(item.id, "entry", item.reason, item.silences, item.link, item.versions)
            for item in described()
        ]
        chosen = [item for item in (*words, *entries) if item.name == name.lower()]
        if not chosen:
            known = [item.name for item in words]
            near = closest(name, [item.name for item in entries])
            if near and not closest(name, known):
                known.append(near)
            raise AssayError(unknown("kind, category or entry", name, known, "Known"))
    documents = [item.document() for item in chosen]
    if json:
        write_json(documents[0] if name is not None else {"explanations": documents})
        return 0
    # 88 columns: prose is read, not grepped, so it is wrapped in a pipe too; links are not.
    for index, item in enumerate(chosen):
        show(*layout(item, first=index == 0), width=max(88, LABELS + len(item.link)))
    return 0
