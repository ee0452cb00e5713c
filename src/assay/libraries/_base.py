"""A library: its words, its targets, and how its scripts are written."""

from collections.abc import Callable, Mapping
from typing import Any

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


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How scripts of a library are written; ``{}`` stands for an expression.

    ``imports`` are its modules besides numpy. ``tensor`` makes a tensor of an array, ``array`` an
    array of a tensor, ``total`` the sum of a tensor's elements, ``items`` a flat sequence of a
    result of several tensors. ``bfloat16`` makes a tensor of that dtype, which NumPy lacks, of an
    array in float32, and ``widened`` such an array of it: empty where the library lacks it, too.
    ``dtype`` is how a dtype of that name is written. ``gradient`` is a function
    ``gradient(loss, *tensors)`` as source, which gives None where there is no gradient, or
    ``zeros``; empty where the library differentiates nothing. ``modes`` are those that a script
    can run in, each with the line that stands before a function that is compiled in it.

    A library that runs models has ``run``, the expression of an ``{output}`` given ``{inputs}``;
    its ``modes`` then have the lines that make it ready to, of a ``model``.

    One that runs on several backends has ``chosen``, the variable of the environment that names
    one, and ``variables``: what else a script sets for a backend. ``until`` is the first version
    that the scripts are not for. With ``builds`` nothing is computed before a graph is built of
    placeholders. ``trained`` are the layers that can be told to train, if not all can. ``told``
    gives the parameters of an op as the library itself calls them, ``copy`` another tensor of the
    same value.
    """

    imports: tuple[str, ...]
    tensor: str = "{}"
    array: str = "{}"
    bfloat16: str = ""
    widened: str = ""
    total: str = ""
    items: str = "{}"
    dtype: str = '"{}"'
    gradient: str = ""
    zeros: bool = False
    modes: Mapping[str, str] = msgspec.field(default_factory=lambda: {"eager": ""})
    run: str = ""
    chosen: str = ""
    variables: Mapping[str, Mapping[str, str]] = {}
    until: str = ""
    builds: bool = False
    trained: tuple[str, ...] = ()
    told: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] = lambda op, params: params
    copy: str = "{}"


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """What Assay knows about a library without importing it.

    ``root`` is the first part of its ops' names. ``words`` are what it has in common with
    others; ``only`` names what it has of the words of its root, if that is less than all, and
    ``narrow`` gives the spec of one of those without what it has not.
    ``adapter`` is ``FILE:CLASS`` of the worker's side, for a library that another distribution
    describes. ``refusals`` says what it refuses clearly, as TOML in the form of
    ``judge/refusals.toml``. With ``models_only`` it runs whole models, and no cases.
    """

    name: str
    root: str
    words: tuple[Word, ...] = ()
    only: tuple[str, ...] = ()
    narrow: Callable[[OpSpec], OpSpec] | None = None
    targets: tuple[Offered, ...] = ()
    dialect: Dialect | None = None
    adapter: str = ""
    refusals: str = ""
    models_only: bool = False
