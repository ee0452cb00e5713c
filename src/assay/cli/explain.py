"""``assay explain``: what a finding kind or category means."""

from typing import Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption
from assay.errors import AssayError
from assay.suggest import unknown


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND|CATEGORY]", help="Without it: all of them.", show_default=False
        ),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Say in plain words what a finding kind or category means.

    \b
    Examples:
      assay explain inconsistency
      assay explain unsupported
    """
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from assay.report.console import show
    from assay.report.explanations import CATEGORIES, KINDS
    from assay.report.streams import write_json

    entries = [("kind", key, text) for key, text in KINDS.items()]
    entries += [("category", key, text) for key, text in CATEGORIES.items()]
    if name is not None:
        entries = [entry for entry in entries if entry[1] == name.lower()]
        if not entries:
            known = [*KINDS, *CATEGORIES]
            raise AssayError(unknown("kind or category", name, known, "Known"))
    documents = [{"name": key, "is": group, "text": text} for group, key, text in entries]
    if json:
        write_json(documents[0] if name is not None else {"explanations": documents})
        return 0
    for index, (group, key, text) in enumerate(entries):
        title = Text(key, style="bold")
        title.append(f"  finding {group}", style="not bold dim")
        # 88 columns: prose is read, not grepped, so it is wrapped in a pipe too.
        body = Padding(Text(text), (0, 0, 0, 2), expand=False)
        show(*([Text()] if index else []), Group(title, body), width=88)
    return 0
