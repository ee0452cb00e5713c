"""A library: its words, its targets, and how its scripts are written."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from assay.libraries.word import Word
from assay.ops import OpSpec


class Offered(msgspec.Struct, frozen=True):
    """A target that a library has without configuration.

    ``extra`` names the pip extras that provide it, ``modules`` what must be importable.
    """

    name: str
    backend: str = ""
    mode: str = "eager"
    env: dict[str, str] = {}
    extra: str = ""
    modules: tuple[str, ...] = ()


class Dialect(NamedTuple):
    """How scripts of a library are written; ``{}`` stands for an expression.

    ``imports`` are its modules besides numpy; ``checked`` is the one whose absence ends a
    script with 2. ``tensor`` makes a tensor of an array, ``array`` an array of a tensor, ``total``
    a sum of all elements. ``gradient`` is a function ``gradient(loss, *tensors)`` as source, or
    empty where there is none. ``version`` is the expression of the version.
    """

    imports: tuple[str, ...]
    checked: str
    tensor: str
    array: str
    total: str
    gradient: str
    version: str


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """What Assay knows about a library without importing it.

    ``root`` is the first part of its ops' names. ``words`` are what it has in common with
    others; ``specs`` gives ops of its own. ``computes`` names who computes for it, where that
    is not its own name. ``adapter`` is ``FILE:CLASS`` of the worker's side, for a library
    that another distribution describes. ``refusals`` says what it refuses clearly, as
    TOML in the form of ``judge/refusals.toml``.
    """

    name: str
    root: str
    words: tuple[Word, ...] = ()
    specs: Callable[[], tuple[OpSpec, ...]] = tuple
    targets: tuple[Offered, ...] = ()
    dialect: Dialect | None = None
    computes: str = ""
    adapter: str = ""
    refusals: str = ""
