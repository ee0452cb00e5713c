"""``assay rules``: ways of computing the same thing."""

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, names
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.report.rules import RuleRow


def rules(
    pattern: Annotated[
        str | None, typer.Argument(metavar="PATTERN", help="Part of a rule's name or text.")
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Count the APIs that each rule applies to, by library."),
    ] = False,
    targets: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="--pairs: targets to count on.  [default: torch,tensorflow,jax,keras-torch]",
        ),
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> int:
    """List the rules of the technique rewrite: what must agree, and what each applies to.

    \b
    Examples:
      assay rules
      assay rules strided --json
      assay rules --pairs
      assay hunt --technique rewrite --targets torch --rules strided,jit
    """
    if pairs:
        return _pairs(pattern, targets, config, json)
    if targets is not None:
        raise AssayError("--targets are those to count on. Add --pairs.")
    if config is not None:
        raise AssayError("--config names targets to count on. Add --pairs.")
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


def _pairs(pattern: str | None, targets: str | None, config: str | None, json: bool) -> int:
    from assay.campaign.hunt.pairs import USUAL_TARGETS, pairs_of
    from assay.config import load
    from assay.report.console import show
    from assay.report.rules import pairs_table
    from assay.report.streams import write_json
    from assay.targets import known_targets, resolve

    if pattern is not None:
        raise AssayError(f'--pairs counts all rules; received "{pattern}". Leave it out.')
    settings = load(config)
    asked = names("--targets", targets) or USUAL_TARGETS
    found = pairs_of(resolve(asked, known_targets(settings)), settings.corrections)
    if json:
        write_json(found)
    else:
        show(pairs_table(found))
    return 0


def _matching(pattern: str, rows: "list[RuleRow]") -> "list[RuleRow]":
    """The rule of that name, else all that have the words in what they say."""
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
