"""``assay export``: a finding as a script that a maintainer can run."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption, store_url
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.config import Config
    from assay.ir import Array, Finding


def export(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a finding, or how it begins.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is stdout.")
    ] = "-",
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The text of an issue, with the script in it.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Run it on a backend that has the fault and on one that has not, and write it "
            "only if it tells them apart.",
        ),
    ] = False,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Write a standalone script that shows a finding.

    The script ends with 0 if the bug is present, 1 if it is not, 2 if it cannot
    run there. Scripts of Keras honour KERAS_BACKEND. The exit code of this command is 0.

    \b
    Examples:
      assay export b3f1 -o repro.py
      assay export b3f1 --markdown -o issue.md
    """
    if not output:
        raise AssayError('--output needs a file name, or - for stdout; received "".')
    from assay.campaign.triage.interpreters import Interpreters
    from assay.campaign.triage.reproducer import checked
    from assay.config import load
    from assay.ir.model import model_of
    from assay.ir.suite import suite_case_of
    from assay.report.streams import write_json
    from assay.reproduce import (
        CannotReproduce,
        issue,
        model_script,
        script,
        sides_of,
        title,
    )
    from assay.store import open_store
    from assay.targets import known_targets, resolve
    from assay.targets.known import AT

    settings = load(config)
    with open_store(store_url(store, settings), create=False) as opened:
        finding = opened.finding(identifier)
        arrays = opened.arrays(finding.id)
    beside = b""
    try:
        if model_of(finding.case) is not None:
            from assay.campaign.triage.model_scripts import checked_model

            made = checked_model(finding, arrays) if check else model_script(finding, arrays)
            text, beside = made.text, made.beside
        elif check and suite_case_of(finding.case) is not None:
            from assay.campaign.triage.model_scripts import checked_case

            text = checked_case(finding, known_targets(settings))
        elif check:
            known = known_targets(settings)
            resolve([name for name in finding.targets if AT in name], known)  # listed from now on
            interpreters = Interpreters(tuple(known.values()))
            result = checked(finding, arrays, interpreters.verify_fresh)
            if result.reason:
                raise AssayError(f"the script for {finding.id} does not show it: {result.reason}.")
            text = result.script
        else:
            text = script(finding, arrays)
        heading = title(finding, sides_of(finding, arrays))
        written = issue(finding, arrays, text) if markdown else text
    except CannotReproduce as error:
        raise AssayError(
            f"{finding.id} has no script: {error}. Run it again with: assay replay {finding.id}"
        ) from error
    if beside and output == "-":
        raise AssayError(
            f"the script of {finding.id} needs a file of arrays beside it. Name one: -o repro.py"
        )
    if output != "-":
        _write(output, written)
        if beside:
            arrays_path = Path(output).with_suffix(".npz")
            arrays_path.write_bytes(beside)
            if not quiet:
                typer.echo(f"{arrays_path}: its arrays; keep them beside the script", err=True)
        if not quiet and not markdown:
            typer.echo(f"{output}: {_how_to_run(finding, arrays, settings, output)}", err=True)
    if json:
        write_json({"id": finding.id, "title": heading, "script": text, "checked": check})
    elif output == "-":
        sys.stdout.write(written)
    return 0


def _how_to_run(
    finding: "Finding", arrays: "dict[str, Array]", settings: "Config", output: str
) -> str:
    """The command, which is long where the fault is in an environment of Assay's."""
    from assay.reproduce import sides_of
    from assay.targets import known_targets, resolve
    from assay.targets.known import AT

    named = [name for name in sides_of(finding, arrays).faulty if AT in name]
    if not named:
        return "run it with python; 0 means present, 1 not present"
    try:
        (target,) = resolve(named[:1], known_targets(settings))
    except AssayError as error:
        return f"0 means present, 1 not present. It cannot run yet: {error}"
    variables = [f"{name}={shlex.quote(value)}" for name, value in target.env.items()]
    command = " ".join([*variables, shlex.quote(target.python), shlex.quote(output)])
    return f"0 means present, 1 not present. Run it with:\n{command}"


def _write(output: str, text: str) -> None:
    path = Path(output)
    try:
        path.write_text(text, encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise AssayError(
            f"--output cannot write {output}: {error.strerror}. Name a file in an existing folder."
        ) from error
