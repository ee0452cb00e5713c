"""Pairs of equivalent programs, as they are counted."""

import msgspec


class Source(msgspec.Struct, frozen=True):
    """Where the APIs of a library are from: its version, "" for the shared vocabulary."""

    target: str
    library: str
    version: str
    apis: int


class RulePairs(msgspec.Struct, frozen=True):
    """The APIs that a rule applies to, by library. ``eagle`` is 0 for a rule that is ours."""

    rule: str
    eagle: int
    says: str
    apis: dict[str, int]


class NumberPairs(msgspec.Struct, frozen=True):
    """A published rule, by library: different APIs, and pairs with any of the rules it is."""

    eagle: int
    rules: tuple[str, ...]
    apis: dict[str, int]
    pairs: dict[str, int]


class Pairs(msgspec.Struct, frozen=True):
    """Pairs of APIs and rules. ``left_out`` are targets without a catalogue.

    ``problems`` say of these why one that is there is not read.
    """

    sources: tuple[Source, ...]
    rules: tuple[RulePairs, ...]
    published: tuple[NumberPairs, ...]
    pairs: dict[str, int]
    apis: dict[str, int]
    left_out: tuple[str, ...]
    problems: dict[str, str] = {}
