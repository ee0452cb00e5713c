"""Failures in one line."""

import re
import tempfile
import traceback

import typer

from assay.report.safe import plain
from assay.suggest import closest

_BUG = "this is a bug in Assay"


def usage_message(error: typer.TyperException) -> str:
    """One line for a wrong command line: what was received, what is near, where to look."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "assay"
    option = getattr(error, "option_name", None)
    possibilities = getattr(error, "possibilities", None)
    if option is not None and hasattr(error, "possibilities"):
        name = path.removeprefix("assay ")
        message = f'{name} has no option "{option}".'
        # All options begin with dashes: that two of them do is no likeness.
        bare = option.lstrip("-")
        alike = [name for name in possibilities or () if closest(bare, [name.lstrip("-")])]
        if alike:
            near = " or ".join(f'"{name}"' for name in alike)
            message += f" Did you mean {near}?"
    else:
        message = error.format_message().replace("'", '"').strip()
        message = re.sub(r"\s+", " ", message)
        message = message[:1].lower() + message[1:]
        if not message.endswith((".", "?")):
            message += "."
    return user_message(f"{message} See: {path} --help")


def user_message(message: str) -> str:
    """The message on one line, without anything that would confuse a terminal."""
    return " ".join(plain(message).split("\n"))


def warn(message: str) -> None:
    """One line on stderr; the command goes on."""
    typer.echo(f"assay: {user_message(message)}", err=True)


def write_internal_error(error: Exception) -> str:
    """Write the traceback to a file, and say in one line what happened and where it is."""
    what = user_message(f"{type(error).__name__}: {error}")
    text = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="assay-error-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as file:
            file.write(text)
    except OSError as refused:
        reason = refused.strerror
        return f"internal error: {what}; {_BUG}; details could not be written ({reason})"
    return f"internal error: {what}; {_BUG}; details in {file.name}"
