"""Random single ops and short chains over the whole vocabulary."""

from collections.abc import Mapping

from assay.errors import AssayError
from assay.ir import Arm, Trial, derive
from assay.libraries import family_of
from assay.ops import REAL, Draw, Invalid, OpSpec
from assay.ops.instance import Call, Triple, instantiate, spoil, universe
from assay.ops.shapes import Palette
from assay.sources._assemble import assemble
from assay.sources._base import Memoryless, source

NAME = "single-op"
_CHAIN_CHANCE = 0.3
_LONGEST_CHAIN = 4
#: Of the ops that have invalid values; the rest of them have none to give.
_INVALID_CHANCE = 0.2
_TRIES_PER_NEIGHBOUR = 6
_REPEAT_EVERY = 4
_ROUND_TRIP_EVERY = 8


@source(NAME)
class SingleOp(Memoryless):
    """Each index has its own op; all ops get an equal share of the indices.

    Learns nothing: any index may be asked for at any time.
    """

    name = NAME

    def __init__(
        self, seed: int, targets: tuple[str, ...], vocabulary: Mapping[str, OpSpec]
    ) -> None:
        self._seed = seed
        self._targets = targets
        self._specs = [spec for _, spec in sorted(vocabulary.items()) if not spec.stochastic]
        if not self._specs:
            raise AssayError("the vocabulary has no deterministic op. Name at least one op.")
        self._chainable = [
            spec
            for spec in self._specs
            if spec.result == "float"
            and not spec.dynamic
            and not spec.solitary
            and spec.tensors
            and spec.tensors[0].dtypes[0] == "float32"
        ]
        self._chainable_names = {spec.name for spec in self._chainable}
        self._families: dict[str, tuple[list[OpSpec], list[OpSpec]]] = {}
        self._palette = Palette(derive(seed, NAME))
        self._round = -1
        self._order: list[OpSpec] = []

    def ask(self, index: int) -> Trial:
        """A single op (70%) or a chain with it; about 15% get one invalid value."""
        seed = derive(self._seed, NAME, index)
        spec = self._spec(index)
        draw = Draw(seed, index // len(self._specs), derive(self._seed, spec.name))
        calls = self._calls(spec, draw)
        assembled = assemble(calls, draw, seed)
        spoilt = calls[-1].spoilt
        trial = Trial(
            index=index,
            source=NAME,
            cases=(assembled.case,),
            arms=tuple(Arm(target) for target in self._targets),
            intent="invalid" if spoilt else "valid",
            spoilt=spoilt,
            classes=assembled.classes,
        )
        if index % _REPEAT_EVERY == 0:
            return trial.again()
        round_trip = self._round_trip(index, calls, spoilt)
        return trial.through(round_trip) if round_trip else trial

    def _round_trip(self, index: int, calls: list[Call], spoilt: str) -> str:
        """Objects (not functions) alone, every now and then, where no second run is asked for."""
        is_object = calls[0].spec.name.rpartition(".")[2][:1].isupper()
        if spoilt or len(calls) > 1 or not is_object:
            return ""
        return {1: "config", 2: "config", 3: "save"}.get(index % _ROUND_TRIP_EVERY, "")

    def universe(self) -> frozenset[Triple]:
        """Every triple of every op that is drawn from."""
        return frozenset().union(*map(universe, self._specs))

    def _spec(self, index: int) -> OpSpec:
        """The op of an index: a new random order of all ops for each round of them."""
        position = index % len(self._specs)
        round_ = index // len(self._specs)
        if round_ != self._round:
            self._order = Draw(derive(self._seed, NAME, "round", round_)).order(self._specs)
            self._round = round_
        return self._order[position]

    def _calls(self, spec: OpSpec, draw: Draw) -> list[Call]:
        chain = draw.chance(_CHAIN_CHANCE) and spec.name in self._chainable_names
        if chain:
            # No masks: Keras hands them on to the nodes behind, unseen by the graph.
            call = instantiate(spec, draw, self._palette, dtype="float32", optional=False)
            calls = self._neighbours(call, draw)
        else:
            call = instantiate(spec, draw, self._palette)
            calls = [call]
        if draw.chance(_INVALID_CHANCE):
            try:
                # Behind an invalid node nothing is defined: it must be the last.
                end = next(place for place, item in enumerate(calls) if item is call)
                calls = [*calls[:end], spoil(call, draw)]
            except Invalid:  # an op without parameters has none to spoil
                return calls
        return calls

    def _beside(self, family: str) -> tuple[list[OpSpec], list[OpSpec]]:
        """The ops of a family that may stand before another, and those that may follow one."""
        if family not in self._families:
            own = [spec for spec in self._chainable if family_of(spec.name) == family]
            self._families[family] = own, [spec for spec in own if _takes_any_values(spec)]
        return self._families[family]

    def _neighbours(self, call: Call, draw: Draw) -> list[Call]:
        """The call with one to three others before and after it, as shapes permit."""
        calls = [call]
        chainable, followers = self._beside(family_of(call.spec.name))
        for _ in range(draw.between(1, _LONGEST_CHAIN - 1) if followers else 0):
            before = draw.chance(0.4) and _takes_any_values(calls[0].spec)
            shape = calls[0].shapes[0] if before else calls[-1].outputs[0]
            for _ in range(_TRIES_PER_NEIGHBOUR):
                other = draw.pick(chainable if before else followers)
                try:
                    found = instantiate(other, draw, self._palette, shape, "float32", False)
                except Invalid:
                    continue
                if not before:
                    calls.append(found)
                elif found.outputs[0] == shape:
                    calls.insert(0, found)
                else:
                    continue
                break
        return calls


def _takes_any_values(spec: OpSpec) -> bool:
    """Can its first tensor be what another op computed? Else only a recipe fits its domain."""
    return spec.tensors[0].domain == REAL
