"""``assay env``: other versions of libraries, on other interpreters."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import ConfigOption, JsonOption, QuietOption, StoreOption
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.config import Config
    from assay.targets.environments.definitions import Definition

app = typer.Typer(rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def _env(context: typer.Context) -> int:
    """Make and look after environments: pinned versions of libraries, with the Python they need.

    They live in the user's cache (ASSAY_CACHE names another folder); nothing is installed
    anywhere else. Their targets are named TARGET@ENVIRONMENT.

    \b
    Examples:
      assay env list
      assay env create keras-2.3.1
      assay hunt --targets keras-theano@keras-2.3.1,keras-tensorflow@keras-2.3.1
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)
    return 0


@app.command(short_help="Make an environment.")
def create(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One that assay env list shows.")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(metavar="VERSION", help="Without NAME: of which Python.  [default: as ours]"),
    ] = None,
    pip: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PINS",
            help='Without NAME: what to install, as in "keras==3.6.0".',
        ),
    ] = None,
    called: Annotated[
        str | None,
        typer.Option("--name", metavar="N", help="Without NAME: what to call it."),
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Make an environment: a virtual environment with the pins of its definition.

    One that is there already is left as it is. Interrupted, nothing is left; what was
    downloaded stays in pip's cache. Each --pip is one "pip install".

    \b
    Examples:
      assay env create torch-1.6
      assay env create --python 3.11 --pip "keras==3.6.0 torch==2.13.0" --name mine
    """
    from assay.cli.interruption import Interruption
    from assay.config import load
    from assay.report.console import show
    from assay.report.environments import created_text, creation_progress
    from assay.report.streams import write_json
    from assay.targets import Target, check_library
    from assay.targets.environments.creating import create as make
    from assay.targets.environments.status import ready

    definition = _wanted(load(config), name, python, pip or [], called)
    for base, target in definition.made_of.targets.items():
        named = f"{base}@{definition.name}"
        check_library(Target(named, target.library, target.backend, target.mode))
    with Interruption(), creation_progress(sys.stderr, definition.name, quiet) as tell:
        made, new = make(definition, tell)
    status = ready(made, definition)
    if json:
        write_json({"environment": status, "created": new})
    elif not quiet:
        show(created_text(status, new))
    return 0


def _wanted(
    settings: "Config", name: str | None, python: str | None, pip: list[str], called: str | None
) -> "Definition":
    """The definition that the options ask for."""
    from assay.targets.environments.definitions import ad_hoc, named
    from assay.targets.environments.places import definitions

    known = definitions(settings)
    if name is not None:
        if python is not None or pip or called is not None:
            raise AssayError(
                f"{name} says itself what it is made of. Leave out --python, --pip and --name, or "
                "leave out the name for an environment of your own."
            )
        return named(name, known)
    if not pip:
        raise AssayError(
            "name an environment (assay env list shows them), or say what it holds: "
            'assay env create --python 3.11 --pip "keras==3.6.0 torch==2.13.0"'
        )
    version = python or f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = ad_hoc(version, pip, called)
    taken = known.get(wanted.name)
    if taken is not None and taken.installation != wanted.installation:
        raise AssayError(
            f"{wanted.name} is the name of another environment ({taken.origin}: Python "
            f"{taken.made_of.python}, {' '.join(taken.made_of.pip[-1])}). Choose one with --name."
        )
    return taken or wanted


@app.command("list", short_help="List environments.")
def list_(
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """List the environments that come with Assay, those of the configuration, and ad hoc ones.

    \b
    Example:
      assay env list --json
    """
    from assay.config import load
    from assay.report.console import show
    from assay.report.environments import environments_table
    from assay.report.streams import write_json
    from assay.targets.environments.status import statuses

    found = statuses(load(config))
    if json:
        write_json({"environments": found})
    else:
        show(environments_table(found, quiet))
    return 0


@app.command(short_help="Remove an environment.")
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One that was made.")],
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Remove an environment from the disk, and what interrupted attempts at it left.

    \b
    Example:
      assay env remove keras-2.3.1
    """
    from assay.config import load
    from assay.report.streams import write_json
    from assay.targets.environments.definitions import named
    from assay.targets.environments.places import definitions, folders
    from assay.targets.environments.places import remove as take_away

    settings = load(config)
    if not any(folders(name)):
        named(name, definitions(settings))
        raise AssayError(f"nothing to remove: {name} was not made. (assay env list shows all)")
    removed = take_away(name)
    if json:
        write_json({"name": name, "removed": removed})
    elif not quiet:
        for prefix in removed:
            typer.echo(f"removed {prefix}")
    return 0


@app.command(short_help="Do environments work, and what do they need?")
def doctor(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only this one; without it: all.")
    ] = None,
    json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    quiet: QuietOption = False,
) -> int:
    """Say which interpreters are missing and how to get them; try the targets of what was made.

    The exit code is 0, whatever works.

    \b
    Examples:
      assay env doctor
      assay env doctor keras-2.3.1
    """
    from assay.cli.doctor import probed
    from assay.config import load
    from assay.report.console import show
    from assay.report.doctor import doctor_table
    from assay.report.environments import diagnoses_table
    from assay.report.streams import write_json
    from assay.targets import known_targets, resolve
    from assay.targets.environments.status import chosen, diagnose

    settings = load(config)
    found = [diagnose(definition) for definition in chosen(settings, name)]
    usable = [item.status for item in found if item.status.state == "ready" and not item.problem]
    names = [target for status in usable for target in status.targets]
    reports = probed(resolve(names, known_targets(settings)), quiet) if names else ()
    if json:
        write_json({"environments": found, "targets": reports})
        return 0
    show(diagnoses_table(found))
    if reports:
        show("", doctor_table(reports, quiet=True))
    return 0
