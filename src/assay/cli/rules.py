"""``assay rules``: ways of computing the same thing."""

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import JsonOption

if TYPE_CHECKING:
    from assay.report.rules import RuleRow


def rules(
    pattern: Annotated[
        str | None, typer.Argument(metavar="PATTERN", help="Part of a rule's name or text.")
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
    from assay.report.console import show
    from assay.report.rules import RuleRow, rules_table, rules_text
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
        rows = _matching(pattern, rows)
    if json:
        write_json({"rules": rows})
    else:
        show(rules_table(rows) if pattern is None else rules_text(rows))
    return 0


def _matching(pattern: str, rows: "list[RuleRow]") -> "list[RuleRow]":
    """The rule of that name, else all that have the words in what they say."""
    from assay.errors import AssayError
    from assay.suggest import closest

    wanted = pattern.lower()
    found = [row for row in rows if row.name == wanted] or [
        row for row in rows if wanted in f"{row.name} {row.says} {row.domain}".lower()
    ]
    if not found:
        near = closest(pattern, [row.name for row in rows])
        hint = f' Did you mean "{near}"?' if near else ""
        raise AssayError(f'no rule matches "{pattern}".{hint} assay rules lists all.')
    return found
