"""Definitions of environments: those that come with Assay, a user's own, and ad hoc ones."""

import os
import re
import shlex
from collections.abc import Sequence
from importlib.resources import files

import msgspec

from assay.config import (
    NAME_PART,
    PYTHON_VERSION,
    Config,
    EnvironmentConfig,
    environment,
)
from assay.errors import AssayError, TargetError
from assay.ir import content_hash
from assay.suggest import unknown
from assay.targets.environments.steps import STEPS

#: Where a definition can come from; a configuration file goes by its path.
SHIPPED = "assay"
AD_HOC = "command line"


class Definition(msgspec.Struct, frozen=True):
    """An environment by name: how it is made and what it offers. ``origin`` says who says so."""

    name: str
    made_of: EnvironmentConfig
    origin: str = SHIPPED

    @property
    def installation(self) -> tuple[object, ...]:
        """What ends up on the disk: it decides the folder.

        Variables and targets are left out: they may change without a new installation.
        """
        steps = [[name, STEPS[name].edition] for name in self.made_of.steps]
        return (self.made_of.python, [list(step) for step in self.made_of.pip], steps)

    def address(self, version: str) -> str:
        """The folder for it, made with an interpreter of this full version."""
        return f"{self.name}-{content_hash([self.installation, version])[:12]}"


def shipped() -> dict[str, Definition]:
    """The environments that come with Assay, by name."""
    found = {}
    for file in files(__package__).joinpath("shipped").iterdir():
        if file.name.endswith(".toml"):
            name = file.name.removesuffix(".toml")
            made_of = environment(file.name, file.read_text(encoding="utf-8"))
            found[name] = Definition(name, made_of)
    return {name: found[name] for name in sorted(found, key=_in_order)}


def _in_order(name: str) -> tuple[object, ...]:
    """Names by their words, then by their numbers: tf-2.3 comes before tf-2.10."""
    words = re.split(r"(\d+)", name)
    return tuple((1, int(word), "") if word.isdigit() else (0, 0, word) for word in words)


def configured(config: Config) -> dict[str, Definition]:
    """Those that a configuration defines, by name."""
    return {
        name: Definition(name, made_of, os.path.abspath(config.path))
        for name, made_of in config.environments.items()
    }


def named(name: str, known: dict[str, Definition]) -> Definition:
    """The definition of that name; ``TargetError`` with the nearest one if there is none."""
    if name not in known:
        raise TargetError(f"{unknown('environment', name, known)} (assay env list shows all)")
    return known[name]


def ad_hoc(python: str, pip: Sequence[str], name: str | None = None) -> Definition:
    """A definition from a command line: without a name it is called after what it holds.

    Each of ``pip`` is one step, written as in a shell.
    """
    if not PYTHON_VERSION.fullmatch(python):
        raise AssayError(f'--python takes a version such as 3.7 or 3.7.16; received "{python}".')
    try:
        steps = tuple(tuple(shlex.split(step)) for step in pip)
    except ValueError as error:
        raise AssayError(f"--pip: {error}; received {' '.join(pip)}") from None
    if not steps or not all(steps):
        raise AssayError('--pip takes what pip shall install, as in "keras==3.6.0"; received "".')
    if name is None:
        packages = [item for item in steps[-1] if not item.startswith("-")]
        name = re.sub(r"[^A-Za-z0-9.+]+", "-", "-".join(packages)).strip("-.+")
    if not NAME_PART.fullmatch(name):
        raise AssayError(
            f'--name takes letters, digits and "._+-", beginning with a letter or digit; '
            f'received "{name}".'
        )
    return Definition(name, EnvironmentConfig(python, steps), AD_HOC)
