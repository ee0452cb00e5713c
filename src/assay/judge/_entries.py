"""Entries of a data file that silences: read strictly, because each one hides something."""

import tomllib
from typing import Any, Protocol, TypeVar

import msgspec


class _Entry(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def link(self) -> str: ...


Entry = TypeVar("Entry", bound=_Entry)


class BrokenEntry(Exception):
    """An entry of a data file cannot be used; the message names file, entry and fault."""


def read_entries(text: str, file: str, table: str, kind: type[Entry]) -> tuple[Entry, ...]:
    """The entries ``[[table]]`` of a file, or ``BrokenEntry`` for the first that is wrong.

    Every entry has its own id, and a reason and a link that say something.
    """
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BrokenEntry(f"{file}: not TOML: {error}") from error
    unknown = sorted(set(content) - {table})
    if unknown:
        raise BrokenEntry(f'{file}: unknown "{unknown[0]}"; expected [[{table}]] tables only')
    entries: dict[str, Entry] = {}
    for place, plain in enumerate(content.get(table, []), start=1):
        entry = _read_entry(plain, f"{file}: entry {place}", kind)
        if entry.id in entries:
            raise BrokenEntry(f'{file}: entry {place}: the id "{entry.id}" is taken')
        entries[entry.id] = entry
    return tuple(entries.values())


def _read_entry(plain: Any, place: str, kind: type[Entry]) -> Entry:
    label = plain.get("id") if isinstance(plain, dict) else None
    place = f'{place} ("{label}")' if label else place
    try:
        entry = msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise BrokenEntry(f"{place}: {error}") from error
    for field in ("id", "reason", "link"):
        if not getattr(entry, field).strip():
            raise BrokenEntry(f"{place}: {field} is empty; say why, and where it is documented")
    return entry
