"""Known clear refusals of a target, as data with a reason each."""

import fnmatch
import re
from functools import cache
from importlib import resources

import msgspec

from assay.ir import Failure


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


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    refusal: tuple[Refusal, ...]


@cache
def refusals() -> tuple[Refusal, ...]:
    """Every entry of the data file."""
    text = resources.files("assay.judge").joinpath("refusals.toml").read_bytes()
    return msgspec.toml.decode(text, type=_File).refusal


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
