"""Known clear refusals of a target, as data with a reason each."""

import fnmatch
import re
from functools import cache
from importlib import resources
from typing import Literal

from assay.ir import Failure, Platform
from assay.judge.entries import BrokenEntry, Entry, read_entries
from assay.libraries import libraries, meaning

_FILES = ("refusals.toml", "refusals_keras2.toml")


class Refusal(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A refusal we recognise. Platform, ``op``, ``message`` and ``inputs`` must all match.

    ``op`` holds shell patterns, ``message`` is a regular expression searched in
    ``ExceptionName: message``; ``inputs`` is ``"out_of_range"`` if the refusal is
    expected only of ids that name nothing. ``promised``: documentation, or the library itself
    where it infers shapes, says that this is refused; who accepts it is wrong.
    """

    op: tuple[str, ...]
    message: str
    inputs: Literal["any", "out_of_range"] = "any"
    promised: bool = False


@cache
def refusals() -> tuple[Refusal, ...]:
    """Every entry of the data files, and those that libraries bring with them."""
    folder = resources.files("assay.judge")
    texts = {file: folder.joinpath(file).read_text(encoding="utf-8") for file in _FILES}
    for library in libraries().values():
        if library.refusals:
            texts[f"refusals of {library.name}"] = library.refusals
    return tuple(entry for file, text in texts.items() for entry in read_refusals(text, file))


def read_refusals(text: str, file: str = _FILES[0]) -> tuple[Refusal, ...]:
    """The entries in a data file's text; ``BrokenEntry`` names the first that is wrong."""
    entries = read_entries(text, file, "refusal", Refusal)
    for entry in entries:
        if not entry.message:
            raise BrokenEntry(f'{file}: "{entry.id}": an empty message matches every failure')
        try:
            re.compile(entry.message)
        except re.error as error:
            raise BrokenEntry(
                f'{file}: "{entry.id}": message is no regular expression: {error}'
            ) from error
    return entries


def recognise(
    platform: Platform | None,
    op: str,
    failure: Failure,
    ids_out_of_range: bool = False,
) -> Refusal | None:
    """The entry that covers this failure on this platform, if any does."""
    means = meaning(op)
    text = f"{failure.exception.rpartition('.')[2]}: {failure.message}"
    for entry in refusals():
        if (
            any(fnmatch.fnmatchcase(means, pattern) for pattern in entry.op)
            and (entry.inputs == "any" or ids_out_of_range)
            and entry.applies_to(platform)
            and re.search(entry.message, text)
        ):
            return entry
    return None
