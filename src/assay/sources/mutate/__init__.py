"""Variants of known models: other parameters, and where those show nothing, a search.

Each index is a variant of one of the seed models, which take turns; the first of each is the
model itself. What a search asks for and how it is judged is in ``campaign/hunt/searching.py``.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import cast

from assay.config import MutateConfig
from assay.errors import AssayError
from assay.ir import Arm, Goal, Level, Search, Trial, derive
from assay.ops import Draw, Invalid, OpSpec, specs
from assay.ops.classes import universe
from assay.sources._base import Memoryless, Triple, mutating_source
from assay.sources.mutate.seeds import MODELS, OF_TEXTS, Wanted, seed_model
from assay.sources.mutate.variants import How, Variant, spoilt, varied

NAME = "mutate"


@mutating_source(NAME)
class Mutate(Memoryless):
    """Learns nothing: any index may be asked for at any time."""

    name = NAME

    def __init__(
        self,
        seed: int,
        targets: tuple[str, ...],
        vocabulary: Mapping[str, OpSpec],
        settings: MutateConfig,
    ) -> None:
        self._seed = derive(seed, NAME)
        self._targets = targets
        self._settings = settings
        self._models = settings.models or MODELS
        self._words = specs()
        of_models = {
            node.op
            for name in self._models
            for embedded in (False, True)
            for node in seed_model(name, Wanted(0, False, embedded)).case.graph.nodes
        }
        self._varied = {name: vocabulary[name] for name in sorted(of_models) if name in vocabulary}
        if not self._varied:
            raise AssayError(
                f"no op to draw from is a layer of the seed models, whose layers {NAME} varies. "
                f"They have {', '.join(sorted(of_models))}."
            )

    def ask(self, index: int) -> Trial:
        """A variant, with what is to be searched if nothing shows on it."""
        number, place = divmod(index, len(self._models))
        model = self._models[place]
        seed = derive(self._seed, model, number)
        turn = _turn(self._seed, model, self._settings.variants, number)
        searched = turn < self._settings.searched
        level, goal = self._way(turn, number) if searched else ("weight", "inconsistency")
        embedded = model in OF_TEXTS and level != "weight"
        found = seed_model(model, Wanted(seed, self._settings.full, embedded))
        variant = Variant(found.case)
        draw = Draw(seed)
        if number:
            own = self._settings
            how = How(self._varied, found.kept(), own.layers, own.varied)
            variant = varied(variant.case, self._words, how, draw)
            if not searched and draw.chance(own.invalid):
                with suppress(Invalid):
                    variant = spoilt(variant, self._words, how, draw)
        valid = not variant.spoilt
        return Trial(
            index=index,
            source=NAME,
            cases=(variant.case,),
            arms=tuple(Arm(target) for target in self._targets),
            intent="valid" if valid else "invalid",
            spoilt=variant.spoilt,
            classes=variant.classes,
            search=self._search(found.logits, seed, level, goal, searched) if valid else None,
        )

    def universe(self) -> frozenset[Triple]:
        """Every class of the parameters that are varied."""
        return frozenset(
            triple
            for spec in self._varied.values()
            for triple in universe(spec)
            if triple[1] in {item.name for item in spec.parameters}
        )

    @property
    def enough(self) -> int:
        """How many variants there are to be, if that is settled."""
        return self._settings.variants * len(self._models)

    def _way(self, turn: int, number: int) -> tuple[Level, Goal]:
        """Level and goal of the search whose turn it is: each pair of them comes once, in turn."""
        pairs = [(level, goal) for goal in self._settings.goals for level in self._settings.levels]
        block = number // self._settings.variants * self._settings.searched
        return cast(tuple[Level, Goal], pairs[(block + turn) % len(pairs)])

    def _search(self, logits: str, seed: int, level: Level, goal: Goal, searched: bool) -> Search:
        own = self._settings
        return Search(
            logits=logits,
            seed=derive(seed, "search"),
            level=level,
            goal=goal,
            strategy=own.strategy,
            instances=own.inputs,
            generations=own.generations if searched else 0,
            population=own.population,
            parents=own.parents,
            crossover=own.crossover,
            mutation=own.mutation,
            noise=own.noise,
            bound=own.bound or float("inf"),
            weight_bound=own.weight_bound or float("inf"),
            failing=own.failing,
            published=own.published,
        )


@lru_cache(maxsize=256)
def _order(seed: int, model: str, variants: int, block: int) -> tuple[int, ...]:
    return tuple(Draw(derive(seed, model, "searched", block)).order(range(variants)))


def _turn(seed: int, model: str, variants: int, number: int) -> int:
    """The place of a variant in a random order of its block, whose first ones are searched."""
    block, own = divmod(number, variants)
    return _order(seed, model, variants, block).index(own)
