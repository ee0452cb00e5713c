"""What there is: every environment that can be named, and the state it is in."""

from typing import Literal

import msgspec

from assay.config import Config
from assay.targets.environments.definitions import Definition, named
from assay.targets.environments.interpreters import Interpreter, ask, find, how_to_get
from assay.targets.environments.places import (
    Made,
    all_made,
    being_made,
    current,
    definitions,
    folders,
    name_of,
)
from assay.targets.environments.steps import STEPS
from assay.targets.known import AT, offered

State = Literal["ready", "outdated", "unfinished", "busy", "absent", "elsewhere"]


class Status(msgspec.Struct, frozen=True):
    """An environment: what it is, whether it was made, and what it offers.

    ``outdated`` was made of another definition than today's; ``unfinished`` is what a killed
    process left; ``busy`` is being made right now; ``elsewhere`` was made for a configuration
    that is not read now. ``version`` is that of its Python.
    """

    name: str
    about: str
    origin: str
    python: str
    state: State
    targets: tuple[str, ...] = ()
    prefix: str = ""
    version: str = ""
    bytes: int = 0
    seconds: float = 0.0
    packages: dict[str, str] = {}


class Diagnosis(msgspec.Struct, frozen=True):
    """Can it be made and used here? ``problem`` says why not, ``hint`` what to do next."""

    status: Status
    interpreter: str
    problem: str = ""
    hint: str = ""


def status(definition: Definition) -> Status:
    """The state of one environment."""
    made = current(definition)
    if made is not None:
        return ready(made, definition)
    targets = tuple(f"{name}{AT}{definition.name}" for name in definition.made_of.targets)
    state: State = "absent"
    if being_made(definition.name):
        state = "busy"
    elif all_made().get(definition.name):
        state = "outdated"
    elif any(folders(definition.name)):
        state = "unfinished"
    return Status(
        definition.name,
        _about(definition),
        definition.origin,
        definition.made_of.python,
        state,
        targets,
    )


def ready(made: Made, definition: Definition) -> Status:
    """The state of one that was made."""
    return Status(
        name=made.name,
        about=_about(definition),
        origin=definition.origin,
        python=definition.made_of.python,
        state="ready",
        targets=tuple(target.name for target in offered(made)),
        prefix=made.prefix,
        version=made.version,
        bytes=made.bytes,
        seconds=made.seconds,
        packages=made.packages,
    )


def _about(definition: Definition) -> str:
    return definition.made_of.about or " ".join(definition.made_of.pip[-1])


def statuses(config: Config) -> tuple[Status, ...]:
    """Every environment that can be named, then what else there is on the disk."""
    known = definitions(config)
    found = [status(definition) for definition in known.values()]
    made = all_made()
    for name in dict.fromkeys(name_of(prefix) for prefix in folders()):
        if name in known:
            continue
        if name in made:
            other = ready(made[name][-1], made[name][-1].definition)
            found.append(msgspec.structs.replace(other, state="elsewhere", targets=()))
        else:
            state: State = "busy" if being_made(name) else "unfinished"
            found.append(Status(name, "", "", "", state))
    return tuple(found)


def diagnose(definition: Definition) -> Diagnosis:
    """Look at the interpreter and the tools that an environment needs, and at what was made."""
    now = status(definition)
    create = f"assay env create {definition.name}"
    if now.state == "ready":
        made = current(definition)
        assert made is not None  # it was a moment ago
        answer = ask(made.python)
        if isinstance(answer, Interpreter) and answer.version == made.version:
            return Diagnosis(now, made.python)
        told = answer if isinstance(answer, str) else f"it is Python {answer.version} now"
        return Diagnosis(
            now,
            made.python,
            f"its interpreter was Python {made.version} in {made.base}: {told}",
            f"assay env remove {definition.name}, then {create}",
        )
    found = find(definition.made_of.python)
    if isinstance(found, str):
        return Diagnosis(now, "", found, how_to_get(definition.made_of.python))
    for name in definition.made_of.steps:
        if lacking := STEPS[name].lacks():
            return Diagnosis(now, found.path, f"the step {name} {lacking}", create)
    return Diagnosis(now, found.path, hint=create)


def chosen(config: Config, name: str | None) -> tuple[Definition, ...]:
    """The environment of that name, else all of them."""
    known = definitions(config)
    return (named(name, known),) if name is not None else tuple(known.values())
