"""The ``assay`` command: its subcommands, its errors, its exit codes.

Commands return their exit code: 0 clean, 1 findings, 2 usage / configuration /
target error, 3 internal error, 130 interrupted. Modules that cost time to
import (numpy, the store) are imported by the commands that need them, so that
``assay --help`` answers at once.
"""

import errno
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

from assay import __version__
from assay.cli import (
    apis,
    check,
    doctor,
    env,
    explain,
    export,
    findings,
    hunt,
    ops,
    precision,
    reduce,
    replay,
    report,
    rules,
    show,
)
from assay.cli.failures import usage_message, user_message, write_internal_error
from assay.errors import AssayError, Interrupted
from assay.report.streams import discard, tolerate_any_encoding

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback(
    invoke_without_command=True,
    epilog=(
        "Exit codes: 0 clean, 1 findings, 2 usage, configuration or target error, "
        "3 internal error, 130 interrupted."
    ),
)
def _assay(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> int:
    """Find bugs in deep-learning libraries by running the same model on several of them.

    \b
    Start with:
      assay doctor              which libraries are here, and do they work?
      assay hunt --budget 2m    look for bugs for two minutes
      assay findings            list what was found
    """
    if version:
        typer.echo(f"assay {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)
    return 0


# One short line each: the overview must not be cut off at 80 columns.
for _command, _summary in (
    (doctor.doctor, "Which libraries are here, and do they work?"),
    (hunt.hunt, "Look for bugs."),
    (check.check, "Is a model the same everywhere?"),
    (precision.precision, "How wrong can an operator get?"),
    (ops.ops, "List the ops that hunts draw from."),
    (apis.apis, "What can a library be asked?"),
    (rules.rules, "List the rules of rewrite."),
    (findings.findings, "List what was found."),
    (show.show, "Show one finding."),
    (replay.replay, "Is a finding still there?"),
    (reduce.reduce, "Make the case of a finding small."),
    (export.export, "Write a script that shows a finding."),
    (report.report, "Write a page about what was found."),
    (explain.explain, "What does a finding kind or category mean?"),
):
    app.command(_command.__name__, short_help=_summary)(_command)
app.add_typer(env.app, name="env", short_help="Other versions of libraries.")


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code. Raises nothing."""
    try:
        return _invoke(arguments)
    except typer.Exit as request:
        return request.exit_code
    except typer.TyperException as error:
        return _fail(usage_message(error))
    except AssayError as error:
        return _fail(user_message(str(error)))
    except (KeyboardInterrupt, Interrupted, typer.Abort):
        return _fail("interrupted", 130)
    except BrokenPipeError:
        # The reader went away (`| head`): it has seen what it wanted.
        discard(sys.stdout)
        return 0
    except OSError as error:
        reason = system_reason(error)
        return _fail(reason) if reason else _internal(error)
    except Exception as error:  # noqa: BLE001  reported as our own bug, with its traceback
        return _internal(error)


def _invoke(arguments: Sequence[str]) -> int:
    # NumPy is asked as a witness, of empty and NaN arrays too: what it thinks of them is no news.
    warnings.filterwarnings("ignore", module=r"numpy\.")
    command = typer.main.get_command(app)
    with command.make_context("assay", list(arguments)) as context:
        code = command.invoke(context)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code if isinstance(code, int) else 0


def system_reason(error: OSError) -> str | None:
    """One line for what the machine refuses and a user can put right; None for the rest."""
    if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}:
        return None
    return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."


def _fail(message: str, code: int = 2) -> int:
    typer.echo(f"assay: {message}", err=True)
    return code


def _internal(error: Exception) -> int:
    return _fail(write_internal_error(error), 3)


def main() -> None:
    """The entry point of the ``assay`` script."""
    tolerate_any_encoding()
    code = run(sys.argv[1:])
    # It is over: one more Ctrl-C must not change what the exit code says.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        # Reported already if it matters; the interpreter must not try again when it exits.
        discard(sys.stdout)
    sys.exit(code)
