"""``assay rules``: ways of computing the same thing."""

from typing import Annotated

import typer

from assay.cli.options import JsonOption


def rules(
    pattern: Annotated[
        str | None, typer.Argument(metavar="[PATTERN]", help="Part of a rule's name or text.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """List the rules of the technique rewrite: what must agree, and what each applies to.

    \b
    Examples:
      assay rules
      assay rules strided --json
      assay hunt --technique rewrite --targets torch --rules strided,jit
    """
    from assay.errors import AssayError
    from assay.report.console import show
    from assay.report.rules import RuleRow, rules_table
    from assay.report.streams import write_json
    from assay_worker.rules import rules as every_rule

    rows = [
        RuleRow(
            name=item.name,
            eagle=item.eagle,
            says=item.says,
            domain=item.domain,
            libraries=tuple(sorted(item.programs)),
            compiles=item.compiles,
            special=item.special,
        )
        for item in every_rule()
    ]
    if pattern is not None:
        wanted = pattern.lower()
        rows = [row for row in rows if wanted in f"{row.name} {row.says} {row.domain}".lower()]
        if not rows:
            raise AssayError(f'no rule matches "{pattern}". assay rules lists all.')
    if json:
        write_json({"rules": rows})
    else:
        show(rules_table(rows))
    return 0
