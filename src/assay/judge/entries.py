"""Entries of data files that change a verdict: read strictly, because most hide something."""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from assay.ir import Platform
from assay.judge._example import Example, case_of


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every entry says, whatever it does to a verdict.

    It is about platforms, never about a target's name: ``library``, one of these
    ``backend`` (any, if none is listed) in one of these ``mode`` (any, if none is),
    and ``versions``, which maps a distribution to the PEP 440 range for which the entry
    is known to be true. ``example`` is a call that it matches, which a test runs on
    the real targets: an entry that no longer matches anything fails there.
    """

    id: str
    library: str
    backend: tuple[str, ...] = ()
    mode: tuple[str, ...] = ()
    reason: str
    #: Who could define it, and what they say: a quotation, or that they say nothing. An entry may
    #: not silence what documentation, IEEE 754 or NumPy (where it is promised) define.
    definition: str = ""
    link: str
    versions: dict[str, str]
    example: Example

    def applies_to(self, platform: Platform | None) -> bool:
        """Is the entry known to be true of this platform? Of an unknown one nothing is."""
        return (
            platform is not None
            and platform.library == self.library
            and (not self.backend or platform.backend in self.backend)
            and (not self.mode or platform.mode in self.mode)
            and self.covers(platform.versions)
        )

    def covers(self, installed: Mapping[str, str]) -> bool:
        """Is the entry known to be true of these versions, by distribution?

        What a library refuses or leaves open, its earlier versions did too. A distribution that
        is not installed is not compared; a version that is no version (a build of one's own) is
        not known to be covered.
        """
        return all(
            _within(self.versions[name], version)
            for name, version in installed.items()
            if name in self.versions
        )


Kind = TypeVar("Kind", bound=Entry)


class BrokenEntry(Exception):
    """An entry of a data file cannot be used; the message names file, entry and fault."""


@cache
def _within(specifier: str, version: str) -> bool:
    """Is a version in a range, or before it begins?"""
    try:
        # A release candidate has the behaviour of its release, not of the one before it.
        known = Version(Version(version).base_version)
    except InvalidVersion:
        return False
    asked = SpecifierSet(specifier)
    before = any(known < Version(item.version) for item in asked if item.operator == ">=")
    return before or asked.contains(known)


def read_entries(text: str, file: str, table: str, kind: type[Kind]) -> tuple[Kind, ...]:
    """The entries ``[[table]]`` of a file, or ``BrokenEntry`` for the first that is wrong.

    Every entry has its own id, a reason and a link that say something, a range of
    versions, and an example that is a case.
    """
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BrokenEntry(f"{file}: not TOML: {error}") from error
    unknown = sorted(set(content) - {table})
    if unknown:
        raise BrokenEntry(f'{file}: unknown "{unknown[0]}"; expected [[{table}]] tables only')
    entries: dict[str, Kind] = {}
    for place, plain in enumerate(content.get(table, []), start=1):
        entry = _read_entry(plain, f"{file}: entry {place}", kind)
        if entry.id in entries:
            raise BrokenEntry(f'{file}: entry {place}: the id "{entry.id}" is taken')
        entries[entry.id] = entry
    return tuple(entries.values())


def _read_entry(plain: Any, place: str, kind: type[Kind]) -> Kind:
    label = plain.get("id") if isinstance(plain, dict) else None
    place = f'{place} ("{label}")' if label else place
    try:
        entry = msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise BrokenEntry(f"{place}: {error}") from error
    for field in ("id", "library", "reason", "link"):
        if not getattr(entry, field).strip():
            raise BrokenEntry(f"{place}: {field} is empty; say why, and where it is documented")
    _check_versions(entry.versions, place)
    try:
        case_of(entry.example)
    except ValueError as error:
        raise BrokenEntry(f"{place}: its example is no case: {error}") from error
    return entry


def _check_versions(versions: Mapping[str, str], place: str) -> None:
    if not versions:
        raise BrokenEntry(f'{place}: versions is empty; name a library, as in keras = ">=3.15"')
    for name, specifier in versions.items():
        try:
            bounds = SpecifierSet(specifier)
        except InvalidSpecifier as error:
            raise BrokenEntry(
                f'{place}: versions.{name} is no range: received "{specifier}", '
                'expected one like ">=3.15,<4"'
            ) from error
        if not len(bounds):
            raise BrokenEntry(
                f"{place}: versions.{name} is empty, which allows every version; "
                'expected a range like ">=3.15,<4"'
            )
