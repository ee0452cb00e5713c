"""The contract of a source of trials, and the registry of sources."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar

from assay import extensions
from assay.catalogue.chosen import Chosen
from assay.config import MutateConfig
from assay.errors import AssayError
from assay.ir import Trace, Trial, Verdict
from assay.ops import OpSpec, specs
from assay.suggest import unknown

#: Entry points of this group are factories; the entry point's name is the technique.
GROUP = "assay.sources"

#: (op, parameter or aspect, class), as in ``Trial.classes``.
Triple = tuple[str, str, str]


class Source(Protocol):
    """Gives trials and may learn from their results, a generation at a time.

    A trial is a function of the campaign's seed, its index, and what was told of
    the generations before its own. The campaign tells results in the order of
    indices, and asks for nothing of a generation before all of the one before it
    was told, so that a campaign means the same however many workers run it. A
    source that learns nothing (``Memoryless``) may be asked for any index at any
    time. ``ask`` must not touch files, clocks or global random state.

    What a source has learned is saved with every trial and restored when the
    campaign is resumed, perhaps in the middle of a generation: ``restore`` of
    what ``state`` gave makes a new source go on as the old one would have.
    """

    @property
    def name(self) -> str:
        """The technique, as ``--technique`` takes it."""

    @property
    def generation(self) -> int:
        """How many trials are asked for before what was told of them counts; 0: it never does."""

    def ask(self, index: int) -> Trial:
        """The trial with that index."""

    def tell(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> None:
        """What came of a trial: one trace per arm, and what the oracles said."""

    def universe(self) -> frozenset[Triple]:
        """Every triple that its trials can exercise: the denominator of coverage."""

    def state(self) -> dict[str, Any]:
        """What was learned and told so far, as plain data for JSON."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state`` gave; called before the first ``ask``."""


class Memoryless:
    """What a source has to say that learns nothing."""

    generation = 0

    def tell(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> None:
        """Nothing is learned."""

    def state(self) -> dict[str, Any]:
        """Nothing was learned."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing is to be restored."""


#: Makes a source from seed, target names and vocabulary.
Factory = Callable[[int, tuple[str, ...], Mapping[str, OpSpec]], Source]
_Factory = TypeVar("_Factory", bound=Factory)

#: The same, of a source that also draws from catalogues.
CataloguedFactory = Callable[[int, tuple[str, ...], Mapping[str, OpSpec], Chosen], Source]
_CataloguedFactory = TypeVar("_CataloguedFactory", bound=CataloguedFactory)

#: The same, of a source with settings of ``mutate``.
MutatingFactory = Callable[[int, tuple[str, ...], Mapping[str, OpSpec], MutateConfig], Source]
_MutatingFactory = TypeVar("_MutatingFactory", bound=MutatingFactory)

_registered: dict[str, Factory] = {}
_catalogued: dict[str, CataloguedFactory] = {}
_mutating: dict[str, MutatingFactory] = {}
_usual: list[str] = []


def source(name: str, usual: bool = True) -> Callable[[_Factory], _Factory]:
    """Register a factory (often the class itself) under a technique's name.

    Not ``usual``: a variant, used only by those who name it.
    """

    def add(factory: _Factory) -> _Factory:
        if name in _registered:
            raise AssayError(f'technique "{name}" is registered twice. Rename one of them.')
        _registered[name] = factory
        if usual:
            _usual.append(name)
        return factory

    return add


def mutating_source(name: str) -> Callable[[_MutatingFactory], _MutatingFactory]:
    """Register a factory of a source with settings of ``mutate``; used by those who name it."""

    def add(factory: _MutatingFactory) -> _MutatingFactory:
        _mutating[name] = factory
        return factory

    return add


def catalogued_source(name: str) -> Callable[[_CataloguedFactory], _CataloguedFactory]:
    """Register a factory of a source that draws from catalogues, too."""

    def add(factory: _CataloguedFactory) -> _CataloguedFactory:
        _catalogued[name] = factory
        _usual.append(name)
        return factory

    return add


#: Sources are registered once, whichever thread asks for them first.
_LOADING = threading.Lock()


def _load() -> None:
    with _LOADING:
        _register()


@cache
def _register() -> None:
    # Imported for their registration.
    from assay.sources import mutate, rewrite, single_op, synthesize  # noqa: F401

    for name, factory in extensions.load(GROUP).items():
        source(name)(factory)


def techniques() -> tuple[str, ...]:
    """Names of all sources, in alphabetical order, however they came to be known."""
    _load()
    return tuple(sorted({*_registered, *_catalogued, *_mutating}))


def usual_techniques() -> tuple[str, ...]:
    """Names of the sources that share the budget of a hunt without ``--technique``."""
    _load()
    return tuple(sorted(_usual))


def _of_keras() -> dict[str, OpSpec]:
    # What only native libraries have is drawn in their words.
    return {name: spec for name, spec in specs().items() if name.startswith("keras.")}


def create(
    name: str,
    seed: int,
    targets: tuple[str, ...],
    vocabulary: Mapping[str, OpSpec] | None = None,
    chosen: Chosen | None = None,
    mutation: MutateConfig | None = None,
) -> Source:
    """The source of a technique; ``AssayError`` if there is no such technique.

    Trials have one arm per target. Without a vocabulary, every op of Keras is in it. ``chosen`` is
    what those draw from that know catalogues, ``mutation`` the settings of ``mutate``.
    """
    if name not in techniques():
        raise AssayError(unknown("technique", name, techniques()))
    words = _of_keras() if vocabulary is None else vocabulary
    if name in _catalogued:
        return _catalogued[name](seed, targets, words, chosen or Chosen())
    if name in _mutating:
        return _mutating[name](seed, targets, words, mutation or MutateConfig())
    return _registered[name](seed, targets, words)
