"""Where environments are, and what is known of those that were made.

An environment is a folder in the cache. Its manifest is the last thing written when it is
made and the first that goes when it is removed: without one it is not there.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from assay.config import Config, EnvironmentConfig, cache_directory
from assay.errors import TargetError
from assay.targets.environments.definitions import AD_HOC, Definition, configured, shipped
from assay.targets.environments.locking import Busy, is_locked, locked

_MANIFEST = "assay-environment.json"
_FOLDER = re.compile(r"(?P<name>.+)-[0-9a-f]{12}")


class Made(msgspec.Struct, frozen=True):
    """The manifest: what was made, with what, and what it cost.

    ``version`` and ``base`` are of the interpreter it was made with; ``modules`` can be
    imported there; ``packages`` are versions by distribution; ``created`` is a time since 1970.
    """

    name: str
    made_of: EnvironmentConfig
    origin: str
    version: str
    base: str
    packages: dict[str, str]
    modules: tuple[str, ...]
    seconds: float
    bytes: int
    created: float = 0.0
    prefix: str = ""

    @property
    def definition(self) -> Definition:
        """What it was made from."""
        return Definition(self.name, self.made_of, self.origin)

    @property
    def python(self) -> str:
        """Its interpreter."""
        return os.path.join(self.prefix, "bin", "python")


def home() -> Path:
    """The folder of all environments."""
    return Path(cache_directory()) / "environments"


def lock_of(prefix: Path) -> Path:
    """The lock of an environment: beside it, since the folder itself comes and goes."""
    return prefix.with_name(f"{prefix.name}.lock")


def log_of(prefix: Path) -> Path:
    """What was printed while it was made: beside it, so that it outlives a failure."""
    return prefix.with_name(f"{prefix.name}.log")


def read(prefix: Path) -> Made | None:
    """The manifest of a folder; None if nothing whole is there."""
    try:
        made = msgspec.json.decode((prefix / _MANIFEST).read_bytes(), type=Made)
    except (OSError, msgspec.DecodeError):
        return None  # not there, half made, or by an Assay that wrote it otherwise
    return msgspec.structs.replace(made, prefix=str(prefix))


def write(made: Made) -> None:
    """Say that it is whole. Nothing of it may be written after this."""
    manifest = Path(made.prefix, _MANIFEST)
    draft = manifest.with_suffix(".draft")
    with open(draft, "wb") as file:
        file.write(msgspec.json.encode(msgspec.structs.replace(made, prefix="")))
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, manifest)


def discard(prefix: Path) -> None:
    """Take a folder away, the manifest first."""
    (prefix / _MANIFEST).unlink(missing_ok=True)
    if prefix.exists():
        shutil.rmtree(prefix)


def name_of(prefix: Path) -> str:
    """The name of the environment that a folder is for; "" for any other folder."""
    found = _FOLDER.fullmatch(prefix.name)
    return found["name"] if found else ""


def folders(name: str = "") -> Iterator[Path]:
    """All folders of environments (of this name), whole or not."""
    if not home().is_dir():
        return
    for path in sorted(home().iterdir()):
        found = name_of(path)
        if found and path.is_dir() and (not name or found == name):
            yield path


def all_made() -> dict[str, list[Made]]:
    """Everything that is whole, by name; the newest last."""
    found = sorted(filter(None, map(read, folders())), key=lambda made: made.created)
    by_name: dict[str, list[Made]] = {}
    for made in found:
        by_name.setdefault(made.name, []).append(made)
    return by_name


def definitions(config: Config) -> dict[str, Definition]:
    """Every environment that can be named, by name: configured ones win over shipped ones."""
    known = shipped()
    for name, made in all_made().items():
        if made[-1].origin == AD_HOC:
            known.setdefault(name, made[-1].definition)
    return {**known, **configured(config)}


def current(definition: Definition) -> Made | None:
    """What was made of a definition as it is now, by whatever it offers and sets today."""
    for made in reversed(all_made().get(definition.name, [])):
        if Path(made.prefix).name == definition.address(made.version):
            return msgspec.structs.replace(made, made_of=definition.made_of)
    return None


def being_made(name: str) -> bool:
    """Does some process make an environment of this name now?"""
    return any(is_locked(lock_of(prefix)) for prefix in folders(name))


def remove(name: str) -> list[str]:
    """Take away all that was made under this name, and what interrupted attempts left.

    Gives the folders. ``TargetError`` if one is being made.
    """
    removed = []
    for prefix in folders(name):
        try:
            with locked(lock_of(prefix)):
                discard(prefix)
                log_of(prefix).unlink(missing_ok=True)
        except Busy:
            raise TargetError(
                f"{name} is being made by another process. Wait for it, or interrupt it."
            ) from None
        removed.append(str(prefix))
    return removed
