"""The vocabulary: every known op spec by its public path."""

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from assay import extensions
from assay.errors import AssayError
from assay.ops._base import OpSpec

#: Entry points of this group are functions without arguments that give op specs.
GROUP = "assay.ops"

_registered: dict[str, OpSpec] = {}


def register(specs: Iterable[OpSpec]) -> None:
    """Add specs to the vocabulary; ``AssayError`` if one has a name that is taken."""
    for spec in specs:
        if spec.name in _registered:
            raise AssayError(f'op "{spec.name}" is described twice. Remove one of its specs.')
        _registered[spec.name] = spec


@cache
def _load() -> None:
    from assay.ops import keras, special

    register(keras.specs())
    register(special.specs())
    for name, offered in extensions.load(GROUP).items():
        try:
            register(offered())
        except AssayError as error:
            raise AssayError(f'vocabulary "{name}": {error}') from error


def specs() -> Mapping[str, OpSpec]:
    """Every op spec by public path, ours and those of other distributions."""
    _load()
    return MappingProxyType(_registered)
