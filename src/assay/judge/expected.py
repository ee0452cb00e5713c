"""Known clear refusals of a target, as data with a reason each."""

import fnmatch
import re
from functools import cache
from importlib import resources

import msgspec

from assay.ir import Failure
from assay.judge._entries import BrokenEntry, read_entries

_FILE = "refusals.toml"


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A refusal we recognise. All of ``target``, ``op`` and ``message`` must match.

    ``target`` and ``op`` are shell patterns, ``message`` a regular expression
    searched in ``ExceptionName: message``.
    """

    id: str
    target: str
    op: str
    message: str
    reason: str
    link: str


@cache
def refusals() -> tuple[Refusal, ...]:
    """Every entry of the data file."""
    text = resources.files("assay.judge").joinpath(_FILE).read_text(encoding="utf-8")
    return read_refusals(text)


def read_refusals(text: str) -> tuple[Refusal, ...]:
    """The entries in a data file's text; ``BrokenEntry`` names the first that is wrong."""
    entries = read_entries(text, _FILE, "refusal", Refusal)
    for entry in entries:
        if not entry.message:
            raise BrokenEntry(f'{_FILE}: "{entry.id}": an empty message matches every failure')
        try:
            re.compile(entry.message)
        except re.error as error:
            raise BrokenEntry(
                f'{_FILE}: "{entry.id}": message is no regular expression: {error}'
            ) from error
    return entries


def recognise(targets: list[str], op: str, failure: Failure) -> Refusal | None:
    """The entry that covers this failure on all of these targets, if any does."""
    text = f"{failure.exception.rpartition('.')[2]}: {failure.message}"
    for entry in refusals():
        if (
            all(fnmatch.fnmatchcase(target, entry.target) for target in targets)
            and fnmatch.fnmatchcase(op, entry.op)
            and re.search(entry.message, text)
        ):
            return entry
    return None
