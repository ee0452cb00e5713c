"""The libraries there are: ours, and those of other distributions."""

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from assay import extensions
from assay.errors import AssayError
from assay.libraries._base import Library
from assay.libraries.describing import described
from assay.libraries.vocabulary import Vocabulary
from assay.libraries.word import Word
from assay.ops import specs
from assay.ops.special import ROOT

#: Entry points of this group are functions without arguments that give a ``Library``.
GROUP = "assay.libraries"
#: The library whose words are the shared ones.
SHARED = "keras"


@cache
def libraries() -> Mapping[str, Library]:
    """Every library by name."""
    from assay.libraries import jax, keras, keras2, litert, onnx, tensorflow, torch

    ours = (
        keras.LIBRARY,
        keras2.LIBRARY,
        keras.REFERENCE,
        torch.LIBRARY,
        tensorflow.LIBRARY,
        jax.LIBRARY,
        *onnx.LIBRARIES,
        litert.LIBRARY,
    )
    found = {library.name: library for library in ours}
    for name, make in extensions.load(GROUP).items():
        library = make()
        if not isinstance(library, Library):
            raise AssayError(
                f'library "{name}": expected a Library; received {type(library).__name__}.'
            )
        if library.name in found:
            raise AssayError(f'library "{library.name}" is described twice. Uninstall one of them.')
        found[library.name] = library
    return MappingProxyType(found)


@cache
def roots() -> frozenset[str]:
    """The first parts of the names of every library's ops."""
    return frozenset(library.root for library in libraries().values())


@cache
def words() -> Mapping[str, Word]:
    """Every word by the op's name."""
    found = {}
    for library in libraries().values():
        for item in library.words:
            if item.means not in specs():
                raise AssayError(f'"{item.name}" means "{item.means}", which no spec describes.')
            found[item.name] = item
    return MappingProxyType(found)


@cache
def _said(root: str) -> Mapping[str, Word]:
    """The words of a library by the shared op that they mean; the first that means it."""
    found: dict[str, Word] = {}
    for library in libraries().values():
        if library.root == root:
            for item in library.words:
                found.setdefault(item.means, item)
    return MappingProxyType(found)


def word_for(means: str, root: str) -> Word | None:
    """The word of a library (by the root of its names) for a shared op."""
    return _said(root).get(means)


def meaning(op: str) -> str:
    """The shared op that an op means; itself if it is one, or means none."""
    found = words().get(op)
    return op if found is None else found.means


def family_of(op: str) -> str:
    """The root of the names that an op can stand beside in a case; what no library has is shared.

    A case is in the words of one library: nobody could be asked one of two.
    """
    root = op.partition(".")[0]
    return root if root in roots() else SHARED


@cache
def everything() -> Vocabulary:
    """The ops of all libraries."""
    shared = dict(specs())
    found = dict(shared)
    for library in libraries().values():
        for item in library.words:
            found[item.name] = described(item, shared[item.means])
    return Vocabulary(found, words())


def vocabulary(names: Iterable[str]) -> Vocabulary:
    """The ops of these libraries.

    What other distributions describe without a library of their own goes with the shared words.
    """
    asked = [libraries().get(name) for name in names]
    only = {name for library in asked if library is not None for name in library.only}
    whole = {SHARED if item is None else item.root for item in asked if not (item and item.only)}
    others = roots() - whole
    chosen = everything().only(
        name
        for name in everything()
        if name in only or (bool(whole) and name.partition(".")[0] not in {*others, ROOT})
    )
    for library in asked:
        if library is not None and library.narrow is not None and library.root not in whole:
            chosen = chosen.but(library.narrow(chosen[name]) for name in library.only)
    return chosen
