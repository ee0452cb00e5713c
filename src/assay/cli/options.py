"""Options that every command has, and what they mean together."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.config import Config

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Where findings are kept: a file or a database URL.  [default: assay.db]",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on stdout; everything else on stderr."),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Configuration.  [default: assay.toml, else [tool.assay] of pyproject.toml]",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no hints.")]
AllOption = Annotated[
    bool, typer.Option("--all", help="List findings of every category, not only bugs.")
]


def names(option: str, value: str | None) -> tuple[str, ...]:
    """The names in a comma-separated option, in order, each once; () if it was not given."""
    if value is None:
        return ()
    found = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    if not found:
        raise AssayError(f'{option} needs at least one name; received "{value}".')
    return found


def whole_number(option: str, value: str) -> int:
    """The number an option was given; an ``AssayError`` that shows what was received."""
    text = value.strip().replace(",", "").replace("_", "")
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 30:
        raise AssayError(f'{option} takes a whole number; received "{value}".')
    return int(text)


def number(option: str, value: str) -> float:
    """The number an option was given, whole or not."""
    try:
        return float(value)
    except ValueError:
        raise AssayError(f'{option} takes a number; received "{value}".') from None


def store_url(given: str | None, config: "Config") -> str:
    """The store to use: the option, else the configuration."""
    if given is not None and not given.strip():
        raise AssayError('--store needs a file name or a URL; received "".')
    return given if given is not None else config.store


def repeated_options(store: str | None, config: str | None) -> str:
    """The options that a following command needs to see the same store and configuration."""
    shown = [("--store", store), ("--config", config)]
    return "".join(f" {name} {shlex.quote(value)}" for name, value in shown if value is not None)
