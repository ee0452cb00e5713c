"""Where catalogues are kept: a file per library and version in the user's cache."""

import os
import re
from pathlib import Path

import msgspec

from assay.catalogue.records import FORMAT, Snapshot
from assay.config import cache_directory
from assay.errors import AssayError


class Stale(AssayError):
    """A snapshot that this Assay does not read."""


class _Head(msgspec.Struct, frozen=True):
    """What every format has."""

    library: str
    version: str
    format: int


def home() -> Path:
    """The folder of all catalogues."""
    return Path(cache_directory()) / "catalogues"


def path_of(library: str, version: str) -> Path:
    """The file of a catalogue, there or not."""
    return home() / f"{library}-{re.sub(r'[^A-Za-z0-9.+_-]', '_', version)}.json"


def load(library: str, version: str) -> Snapshot | None:
    """The catalogue of this version; None if none was made.

    ``Stale`` if another Assay made it; ``AssayError`` if the file is damaged.
    """
    path = path_of(library, version)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.format != FORMAT:
            raise Stale(
                f"{path} has format {head.format}, and this Assay reads {FORMAT}. "
                f"Make it again with: assay apis {library} --fresh"
            )
        found = msgspec.json.decode(data, type=Snapshot)
    except msgspec.DecodeError as error:
        raise AssayError(
            f"{path} is no catalogue: {error}. Make it again with: assay apis {library} --fresh"
        ) from None
    if (found.library, found.version) != (library, version):
        raise Stale(
            f"{path} is of {found.library} {found.version}, and {library} {version} is installed. "
            f"Make it again with: assay apis {library} --fresh"
        )
    return found


def versions(library: str) -> tuple[str, ...]:
    """The versions that there are catalogues of, sorted as text."""
    prefix = f"{library}-"
    return tuple(sorted(path.stem.removeprefix(prefix) for path in home().glob(f"{prefix}*.json")))


def save(snapshot: Snapshot) -> Path:
    """Write it, whole or not at all. One process at a time may, for a library and version."""
    path = path_of(snapshot.library, snapshot.version)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    with open(draft, "wb") as file:
        file.write(msgspec.json.encode(snapshot))
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    return path
