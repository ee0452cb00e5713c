"""How much of the vocabulary has been compared on two or more independent arms."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assay.campaign.hunt.catalogued import chosen_again
from assay.campaign.hunt.state import load
from assay.campaign.hunt.techniques import sources_for
from assay.campaign.hunt.vocabulary import select
from assay.config import MutateConfig
from assay.errors import AssayError
from assay.ir import from_plain
from assay.libraries import vocabulary as vocabulary_of
from assay.ops import OpSpec
from assay.ops.classes import edges
from assay.sources import Source
from assay.store import Campaign
from assay.targets import Target, resolve

Triple = tuple[str, str, str]


class Met(NamedTuple):
    """The classes of an op, as ``aspect: class``: those that were compared, and the others."""

    op: str
    met: list[str]
    missing: list[str]


class Coverage:
    """Triples (op, parameter, class) compared so far, as bits over the sorted universe."""

    def __init__(
        self, sources: Sequence[Source], vocabulary: Mapping[str, OpSpec], bits: int = 0
    ) -> None:
        self._vocabulary = vocabulary
        self._edges: dict[str, frozenset[Triple]] = {}
        universe = sorted(frozenset().union(*(source.universe() for source in sources)))
        self._place = {triple: place for place, triple in enumerate(universe)}
        self._ops = {op for op, _, _ in universe}
        self._parameters = {triple[:2] for triple in universe}
        seen = [triple for triple, place in self._place.items() if bits >> place & 1]
        self._ops_seen = {triple[0] for triple in seen}
        self._parameters_seen = {triple[:2] for triple in seen}
        self.bits = bits

    def add(self, triples: Iterable[Triple]) -> None:
        """These were exercised and compared."""
        for triple in triples:
            place = self._place.get(triple)
            if place is not None:
                self.bits |= 1 << place
                self._ops_seen.add(triple[0])
                self._parameters_seen.add(triple[:2])

    def at_an_edge(self, triples: Iterable[Triple]) -> bool:
        """Is there a boundary, a special value, or a special shape or dtype among them?"""
        return any(
            triple in self._edges_of(triple[0])
            if triple[0] in self._vocabulary
            else _special(triple)
            for triple in triples
        )

    def _edges_of(self, op: str) -> frozenset[Triple]:
        if op not in self._edges:
            self._edges[op] = edges(self._vocabulary[op])
        return self._edges[op]

    def by_op(self) -> dict[str, Met]:
        """Of every op: what it has met, and what it has not."""
        found: dict[str, Met] = {}
        for triple, place in sorted(self._place.items()):
            op, aspect, name = triple
            mine = found.setdefault(op, Met(op, [], []))
            (mine.met if self.bits >> place & 1 else mine.missing).append(f"{aspect}: {name}")
        return found

    @property
    def total(self) -> int:
        """Triples there are."""
        return len(self._place)

    @property
    def covered(self) -> int:
        """Triples compared."""
        return self.bits.bit_count()

    @property
    def ops_total(self) -> int:
        """Ops there are."""
        return len(self._ops)

    @property
    def ops_covered(self) -> int:
        """Ops compared."""
        return len(self._ops_seen)

    @property
    def parameters(self) -> float:
        """The share of parameters (and of aspects: shape, dtype) with a class compared."""
        return len(self._parameters_seen) / max(1, len(self._parameters))


def _special(triple: Triple) -> bool:
    """Of an API of a catalogue: special values, or an axis of no or one element."""
    _, aspect, name = triple
    return aspect == "special" or (aspect.startswith("size:") and name in ("0", "1"))


def met(campaign: Campaign, known: Mapping[str, Target]) -> dict[str, Met]:
    """What every op of a campaign has met so far; ``AssayError`` if that cannot be told."""
    config = campaign.config
    arms = tuple(config["targets"])
    if "catalogues" in config:
        raise AssayError(f"campaign {campaign.id} drew from catalogues, not from the vocabulary.")
    targets = resolve(arms, known)
    vocabulary = select(config.get("ops", ()), vocabulary_of(item.library for item in targets))
    chosen = chosen_again(config, targets)
    mutation = from_plain(config.get("mutate", {}), MutateConfig)
    sources = sources_for(config["techniques"], campaign.seed, arms, vocabulary, chosen, mutation)
    state, shares = campaign.statistics.get("state"), campaign.statistics.get("coverage", {})
    if not state:
        raise AssayError(f"campaign {campaign.id} judged no trial: no class was met.")
    coverage = Coverage(sources, vocabulary, load(state).covered)
    if abs(coverage.covered / max(1, coverage.total) - shares.get("classes", 0.0)) > 1e-9:
        raise AssayError(
            f"campaign {campaign.id} was made when ops had other classes than now. Hunt again."
        )
    return coverage.by_op()
