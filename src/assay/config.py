"""Configuration: ``assay.toml``, or ``[tool.assay]`` in ``pyproject.toml``."""

import os
import re
import tomllib
from typing import Any, TypeVar

import msgspec

from assay.errors import AssayError
from assay.suggest import closest, unknown

Table = TypeVar("Table", bound=msgspec.Struct)
_PLAIN_NAMES = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


#: The one name of a target that means something: judging treats it apart from the others.
RESERVED = "reference"
#: Stands between a target and a variant in the name of an arm.
MARK = "#"
#: What environments, and targets in them, may be called: TARGET@ENVIRONMENT; also a folder.
NAME_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
#: Of an interpreter: 3.7, or 3.7.16.
PYTHON_VERSION = re.compile(r"3\.\d+(\.\d+)?")
_KEYS = (
    *("store", "prelude", "targets", "hunt", "mutate", "check", "limits", "environments"),
    "corrections",
)
#: Extra steps that an environment may name.
STEPS = ("cntk-mpi-stub",)


class ConfigError(AssayError):
    """The configuration file is missing, is not TOML, or says something we do not know."""


class TargetConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ``[targets.NAME]`` table. ``python`` and ``prelude`` are absolute after loading."""

    library: str
    backend: str = ""
    mode: str = "eager"
    python: str = ""
    prelude: str = ""
    env: dict[str, str] = {}


class OfferedConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ``[environments.NAME.targets.TARGET]`` table: a target that an environment offers."""

    library: str
    backend: str = ""
    mode: str = "eager"
    env: dict[str, str] = {}


class EnvironmentConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ``[environments.NAME]`` table: how a virtual environment is made, and what it offers.

    ``pip`` holds the arguments of one ``pip install`` each, in order. ``steps`` are named
    extra steps after them. ``variables`` are set for its workers; ``{prefix}`` in them is the
    environment's folder, ``{base}`` that of the interpreter it was made with. Without
    ``targets``, it offers the built-in ones whose libraries it has.
    """

    python: str
    pip: tuple[tuple[str, ...], ...]
    about: str = ""
    steps: tuple[str, ...] = ()
    variables: dict[str, str] = {}
    targets: dict[str, OfferedConfig] = {}


class HuntConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``[hunt]`` table: what ``assay hunt`` does when its options do not say."""

    technique: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    budget: str | int | None = None
    cases: int | None = None
    seed: int | None = None
    ops: tuple[str, ...] = ()
    reduce_share: float | None = None


class MutateConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``[mutate]`` table: models, numbers of variants, and how they are searched.

    ``models`` empty means all. Of every ``variants`` of a model, ``searched`` are searched for
    inputs and weights; all are compared on ``inputs`` drawn inputs. ``full`` models have the
    published sizes. At most ``layers`` vary (0: all), of whose parameters a share of ``varied``
    gets another value; ``invalid`` is the share of variants with an invalid one.

    A search is one of the ``levels`` and ``goals`` in turn, of at most ``generations``
    populations of size ``population``, of which ``parents`` are kept; ``crossover`` is the
    chance that a gene is the first parent's, ``mutation`` that of a child to be mutated,
    ``noise`` the scale of Cauchy noise, ``bound`` the largest number of an input and
    ``weight_bound`` that of a weight (0: any). It ends after ``failing`` bugs. ``published``:
    an inconsistency is another label, and nothing else.
    """

    models: tuple[str, ...] = ()
    full: bool = False
    variants: int = 100
    searched: int = 20
    inputs: int = 20
    layers: int = 4
    varied: float = 0.4
    invalid: float = 0.15
    levels: tuple[str, ...] = ("input", "weight", "both")
    goals: tuple[str, ...] = ("inconsistency", "nan")
    strategy: str = "genetic"
    population: int = 40
    generations: int = 25
    parents: int = 10
    crossover: float = 0.5
    mutation: float = 0.5
    noise: float = 1.0
    bound: float = 1e4
    weight_bound: float = 8.0
    failing: int = 1
    published: bool = False


class LimitsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``[limits]`` table: what a worker may use before it is stopped.

    ``deadline`` and ``start`` are times as ``--budget`` takes them, ``memory`` is a size
    ("4GB"), ``restarts`` the number of deaths after which a target is left out.
    """

    deadline: str | int | None = None
    start: str | int | None = None
    memory: str | int | None = None
    restarts: int | None = None


class OutputConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ``[check.outputs.NAME]`` table: the thresholds of one output of a model."""

    atol: float | None = None
    rtol: float | None = None
    min_agreement: str | float | None = None


class CheckConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``[check]`` table: what ``assay check`` does when its options do not say."""

    targets: tuple[str, ...] = ()
    atol: float | None = None
    rtol: float | None = None
    min_agreement: str | float | None = None
    classifier: bool = False
    metric: dict[str, str | float] = {}
    outputs: dict[str, OutputConfig] = {}


class Config(msgspec.Struct, frozen=True):
    """Everything a configuration file can say. ``path`` is the file it came from, or empty.

    ``prelude`` is that of every target that has none of its own, ``corrections`` a file of what is
    to be corrected in catalogues; both absolute after loading.
    """

    store: str = "assay.db"
    prelude: str = ""
    corrections: str = ""
    targets: dict[str, TargetConfig] = {}
    hunt: HuntConfig = HuntConfig()
    mutate: MutateConfig = MutateConfig()
    check: CheckConfig = CheckConfig()
    limits: LimitsConfig = LimitsConfig()
    environments: dict[str, EnvironmentConfig] = {}
    path: str = ""


class _Source(msgspec.Struct, frozen=True):
    """The file being read, for error messages that name the line."""

    path: str
    text: str
    #: Keys that lead to our table: () in assay.toml, ("tool", "assay") in pyproject.toml.
    prefix: tuple[str, ...]

    def error(self, keys: tuple[str, ...], message: str) -> ConfigError:
        line = _line_of(self.text, self.prefix + keys)
        place = f"{self.path} line {line}" if line else self.path
        return ConfigError(f"{place}: {message}")


def cache_directory() -> str:
    """Where Assay keeps what can be made again: ``ASSAY_CACHE``, else in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.abspath(os.environ.get("ASSAY_CACHE") or os.path.join(base, "assay"))


def load(path: str | None = None) -> Config:
    """The configuration in ``path``, or the one of the working directory.

    Without a path: ``assay.toml`` in the working directory, else ``[tool.assay]``
    of its ``pyproject.toml``, else the defaults. Raises ``ConfigError`` naming
    the file and line.
    """
    if path is not None:
        text = _read(path)
        data = _parse(path, text)
        if os.path.basename(path) != "pyproject.toml":
            return _config(_Source(path, text, ()), data)
        table = data.get("tool", {}).get("assay")
        if table is None:
            raise ConfigError(f"{path} has no [tool.assay] table. Add one, or use assay.toml.")
        return _config(_Source(path, text, ("tool", "assay")), table)
    if os.path.exists("assay.toml"):
        return load("assay.toml")
    if os.path.exists("pyproject.toml"):
        text = _read("pyproject.toml")
        # A pyproject.toml that never mentions us need not even be valid TOML.
        if re.search(r"tool\s*\.\s*\"?assay|^\s*\[\s*tool\s*\]", text, re.MULTILINE):
            table = _parse("pyproject.toml", text).get("tool", {}).get("assay")
            if table is not None:
                return _config(_Source("pyproject.toml", text, ("tool", "assay")), table)
    return Config()


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise ConfigError(
            f'no configuration file "{path}". Check the path, or leave out --config.'
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start}).") from None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}.") from None


def _parse(path: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, position = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", position)
        line = int(found[1]) if found else len(text.splitlines())
        raise ConfigError(f"{path} line {line}: not valid TOML: {_lower(message)}.") from None


def _config(source: _Source, data: Any) -> Config:
    if not isinstance(data, dict):
        raise source.error((), f"expected a table; received {_shown(data)}.")
    _reject_unknown(source, (), data, _KEYS)
    directory = os.path.dirname(source.path)
    store = _field(source, ("store",), data.get("store", "assay.db"), str)
    # A relative path in the file means the same wherever the command is started.
    if "store" in data and "://" not in store:
        store = os.path.join(directory, os.path.expanduser(store))
    prelude = _field(source, ("prelude",), data.get("prelude", ""), str)
    corrections = _field(source, ("corrections",), data.get("corrections", ""), str)
    tables = data.get("targets", {})
    if not isinstance(tables, dict):
        raise source.error(
            ("targets",),
            f"targets must be tables, [targets.NAME]; received {_shown(tables)}. "
            "(The targets of a hunt are hunt.targets.)",
        )
    if RESERVED in tables:
        raise source.error(
            ("targets", RESERVED),
            f'"{RESERVED}" is Assay\'s own target, the float64 semantics that every hunt consults. '
            "Name this one otherwise.",
        )
    for name in tables:
        if not name.strip() or "," in name:
            raise source.error(
                ("targets", name),
                f'"{name}" cannot be chosen: --targets separates names by commas. '
                "Name this one otherwise.",
            )
        if MARK in name:
            raise source.error(
                ("targets", name),
                f'"{name}" has a "{MARK}" in it, which stands between a target and a further run '
                "of it. Name this one otherwise.",
            )
    targets = {
        name: _located(directory, _table(source, ("targets", name), table, TargetConfig))
        for name, table in tables.items()
    }
    hunt = _table(source, ("hunt",), data.get("hunt", {}), HuntConfig)
    return Config(
        store=store,
        prelude=_absolute(directory, prelude) if prelude else "",
        corrections=_absolute(directory, corrections) if corrections else "",
        targets=targets,
        hunt=hunt,
        mutate=_table(source, ("mutate",), data.get("mutate", {}), MutateConfig),
        check=_check(source, data.get("check", {})),
        limits=_table(source, ("limits",), data.get("limits", {}), LimitsConfig),
        environments=_environments(source, data.get("environments", {})),
        path=source.path,
    )


def _check(source: _Source, table: Any) -> CheckConfig:
    outputs = table.get("outputs") if isinstance(table, dict) else None
    if isinstance(outputs, dict):
        for name, limits in outputs.items():
            _table(source, ("check", "outputs", name), limits, OutputConfig)  # errors name the line
    return _table(source, ("check",), table, CheckConfig)


def environment(path: str, text: str) -> EnvironmentConfig:
    """The environment that a file of its own defines; errors name the file and line."""
    return _environment(_Source(path, text, ()), (), _parse(path, text))


def _environments(source: _Source, tables: Any) -> dict[str, EnvironmentConfig]:
    if not isinstance(tables, dict):
        raise source.error(
            ("environments",),
            f"environments must be tables, [environments.NAME]; received {_shown(tables)}.",
        )
    for name in tables:
        if not NAME_PART.fullmatch(name):
            raise source.error(
                ("environments", name),
                f'"{name}" cannot be the name of an environment: expected letters, digits and '
                '"._+-", beginning with a letter or digit.',
            )
    return {
        name: _environment(source, ("environments", name), table) for name, table in tables.items()
    }


def _environment(source: _Source, keys: tuple[str, ...], table: Any) -> EnvironmentConfig:
    if isinstance(table, dict) and isinstance(table.get("targets"), dict):
        for name, offered in table["targets"].items():
            _table(source, (*keys, "targets", name), offered, OfferedConfig)  # errors name the line
            if not NAME_PART.fullmatch(name):
                raise source.error(
                    (*keys, "targets", name),
                    f'"{name}" cannot be the name of a target here: expected letters, digits and '
                    '"._+-"; what comes after the @ is added.',
                )
    made = _table(source, keys, table, EnvironmentConfig)
    if not PYTHON_VERSION.fullmatch(made.python):
        raise source.error(
            (*keys, "python"),
            f'{".".join((*keys, "python"))}: expected a version such as "3.7" or "3.7.16"; '
            f"received {_shown(made.python)}.",
        )
    for step in made.steps:
        if step not in STEPS:
            raise source.error((*keys, "steps"), unknown("step", step, STEPS, "Expected"))
    if not made.pip or not all(made.pip):
        raise source.error(
            (*keys, "pip"),
            f"{'.'.join((*keys, 'pip'))}: expected a list of steps, each a list of what one "
            f'"pip install" gets; received {_shown(made.pip)}.',
        )
    return made


def _located(directory: str, target: TargetConfig) -> TargetConfig:
    """The target with its paths made absolute, relative to the configuration file."""
    prelude = _absolute(directory, target.prelude) if target.prelude else ""
    # A bare name such as python3.9 is a command on the PATH.
    is_path = os.path.basename(target.python) != target.python
    python = _absolute(directory, target.python) if is_path else target.python
    return msgspec.structs.replace(target, prelude=prelude, python=python)


def _absolute(directory: str, path: str) -> str:
    # abspath, not realpath: the python of a virtual environment is a link, and must stay one.
    return os.path.abspath(os.path.join(directory, os.path.expanduser(path)))


def _table(source: _Source, keys: tuple[str, ...], data: Any, kind: type[Table]) -> Table:
    """``data`` as a struct, each field checked on its own so that errors name it."""
    name = ".".join(keys)
    fields = msgspec.structs.fields(kind)
    expected = ", ".join(field.name for field in fields)
    if not isinstance(data, dict):
        raise source.error(keys, f"{name} must be a table; received {_shown(data)}.")
    _reject_unknown(source, keys, data, tuple(field.name for field in fields))
    values: dict[str, Any] = {}
    for field in fields:
        if field.name in data:
            values[field.name] = _field(source, (*keys, field.name), data[field.name], field.type)
        elif field.required:
            raise source.error(keys, f'{name} has no "{field.name}". Expected: {expected}.')
    return kind(**values)


def _reject_unknown(
    source: _Source, keys: tuple[str, ...], data: dict[str, Any], expected: tuple[str, ...]
) -> None:
    for key in data:
        if key in expected:
            continue
        near = closest(key, expected)
        hint = f' Did you mean "{near}"?' if near else ""
        holder = ".".join(keys) + " has " if keys else ""
        raise source.error(
            (*keys, key), f'{holder}unknown key "{key}".{hint} Expected: {", ".join(expected)}.'
        )


def _field(source: _Source, keys: tuple[str, ...], value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        if kind in _PLAIN_NAMES:
            expected = f"expected {_PLAIN_NAMES[kind]}"
        else:
            expected = _lower(re.sub(r" - at .*|`", "", str(error)))
        message = f"{'.'.join(keys)}: {expected}; received {_shown(value)}."
        raise source.error(keys, message) from None


def _shown(value: Any) -> str:
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _line_of(text: str, keys: tuple[str, ...]) -> int | None:
    """The line where the statement that defines ``keys`` begins.

    The text is parsed line by line longer until the key appears: slow, but only
    done for an error, and right for every way TOML has to write a key.
    """
    if not keys:
        return None
    lines = text.splitlines()
    last = keys[-1]
    start = next((n for n, line in enumerate(lines) if last in line), 0)
    complete = start
    for count in range(start + 1, len(lines) + 1):
        try:
            data: Any = tomllib.loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue
        for key in keys:
            data = data.get(key) if isinstance(data, dict) else None
        if data is not None:
            return complete + 1
        complete = count
    return None
