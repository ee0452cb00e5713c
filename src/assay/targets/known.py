"""Targets by name: built-in, configured, and those of environments and other interpreters."""

import os

import msgspec

from assay.config import MARK, Config, EnvironmentConfig, OfferedConfig, TargetConfig
from assay.errors import TargetError
from assay.libraries import libraries
from assay.libraries.kernels import pinned
from assay.suggest import unknown
from assay.targets._base import REFERENCE, Target, builtin_targets
from assay.targets.environments.definitions import Definition, named
from assay.targets.environments.places import Made, current, definitions

#: Stands between a target and its environment: keras-torch@keras-3.6.
AT = "@"


class KnownTargets(dict[str, Target]):
    """Targets by name, with a ``prelude`` for all. Those of environments that were made are listed.

    ``TARGET@path/to/python`` is looked up when it is asked for, and listed from then on; an
    environment that was not made, or offers no such target, is a ``TargetError``.
    """

    def __init__(
        self, targets: dict[str, Target], environments: dict[str, Definition], prelude: str = ""
    ) -> None:
        self._prelude = prelude
        super().__init__({name: self._prepared(target) for name, target in targets.items()})
        self._environments = environments
        self._bases = dict(self)
        for definition in environments.values():
            made = current(definition)
            if made is not None:
                for target in offered(made):
                    self.setdefault(target.name, self._prepared(target))

    def __missing__(self, name: str) -> Target:
        base, at, place = name.partition(AT)
        if not at:
            raise KeyError(name)
        if _is_path(place):
            target = self._with_interpreter(base, place)
        else:
            target = self._prepared(self._of_environment(base, place))
        self[target.name] = target
        return target

    def _prepared(self, target: Target) -> Target:
        """The target with the prelude of all, unless it has one of its own."""
        if not self._prelude or target.prelude or target.name == REFERENCE.name:
            return target
        return msgspec.structs.replace(target, prelude=self._prelude)

    def _with_interpreter(self, base: str, place: str) -> Target:
        if base not in self._bases or base == REFERENCE.name:
            known = [name for name in self._bases if name != REFERENCE.name]
            raise TargetError(f"{unknown('target', base, known)} (before the {AT})")
        # Absolute, so that a finding can be replayed from another folder; no real path, since
        # the python of a virtual environment is a link and must stay one.
        python = os.path.abspath(os.path.expanduser(place))
        if MARK in python or "," in python:
            raise TargetError(f'{python}: the path of an interpreter cannot have "{MARK}" or ","')
        if not os.access(python, os.X_OK) or os.path.isdir(python):
            raise TargetError(
                f"{base}{AT}{place}: there is no interpreter at {python}. Name the file itself, "
                "as in .venv/bin/python."
            )
        return msgspec.structs.replace(
            self._bases[base],
            name=f"{base}{AT}{python}",
            python=python,
            environment=python,
            extra="",
        )

    def _of_environment(self, base: str, place: str) -> Target:
        definition = named(place, self._environments)
        made = current(definition)
        names = (
            list(definition.made_of.targets)
            if made is None
            else [target.name.partition(AT)[0] for target in offered(made)]
        )
        if base not in names and (names or made is not None):
            raise TargetError(unknown("target", f"{base}{AT}{place}", names, f"{place} offers"))
        if made is None:
            raise TargetError(
                f"{base}{AT}{place}: the environment {place} was not made yet. "
                f"Make it with: assay env create {place}"
            )
        return next(target for target in offered(made) if target.name == f"{base}{AT}{place}")


def offered(made: Made) -> tuple[Target, ...]:
    """The targets of an environment: those it says, else the built-in ones it has modules for."""
    bases = offers(made.made_of, made.modules)
    return tuple(
        Target(
            name=f"{base}{AT}{made.name}",
            library=target.library,
            backend=target.backend,
            mode=target.mode,
            python=made.python,
            env={
                **pinned(target.library, target.backend, target.mode),
                **{
                    name: value.replace("{prefix}", made.prefix).replace("{base}", made.base)
                    for name, value in {**made.made_of.variables, **target.env}.items()
                },
            },
            environment=made.name,
            adapter=_adapter(target.library),
        )
        for base, target in bases.items()
    )


def offers(made_of: EnvironmentConfig, modules: tuple[str, ...]) -> dict[str, OfferedConfig]:
    """What an environment offers by definition, else by the modules that are there."""
    if made_of.targets:
        return made_of.targets
    return {
        name: OfferedConfig(target.library, target.backend, target.mode)
        for name, target in builtin_targets().items()
        if name != REFERENCE.name and set(target.modules) <= set(modules)
    }


def known_targets(config: Config) -> KnownTargets:
    """All targets by name: built-in, configured (these win), and of environments."""
    known = builtin_targets()
    for name, entry in config.targets.items():
        known[name] = Target(
            name=name,
            library=entry.library,
            backend=entry.backend,
            mode=_mode(entry),
            python=entry.python,
            prelude=entry.prelude,
            env={**pinned(entry.library, entry.backend, entry.mode), **entry.env},
            adapter=_adapter(entry.library),
        )
    return KnownTargets(known, definitions(config), config.prelude)


def _mode(entry: TargetConfig) -> str:
    """The mode of a configured target: "eager", or the first of a library that has no eager one."""
    known = libraries().get(entry.library)
    modes = [] if known is None else [item.mode for item in known.targets]
    return modes[0] if entry.mode == "eager" and modes and "eager" not in modes else entry.mode


def _adapter(library: str) -> str:
    known = libraries().get(library)
    return "" if known is None else known.adapter


def _is_path(place: str) -> bool:
    return os.sep in place or place.startswith(("~", "."))
