"""Random single ops and short chains over the whole vocabulary."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, combinations, product
from statistics import median
from typing import NamedTuple

from assay.errors import AssayError
from assay.ir import Arm, Trial, derive
from assay.libraries import family_of
from assay.ops import REAL, Draw, Invalid, OpSpec
from assay.ops.classes import Triple, universe
from assay.ops.instance import Call, instantiate, spoil
from assay.ops.shapes import Palette
from assay.sources._assemble import assemble
from assay.sources._base import Memoryless, source

NAME = "single-op"
_CHAIN_CHANCE = 0.1
_LONGEST_CHAIN = 4
#: In so many rounds every invalid value of every op comes once: such a call costs little, for
#: most libraries refuse it before they compute anything.
_PHASES = 16
_TRIES_PER_NEIGHBOUR = 6
#: Calls that are drawn for one trial: the one with most classes that its op has yet to meet.
_CANDIDATES = 24
#: Turns of one op in a round of all ops.
_MOST_TURNS = 3
#: After this many trials of an op it begins to meet its classes anew.
_ROUNDS = 64
_REPEAT_EVERY = 4
_ROUND_TRIP_EVERY = 8


class _Turn(NamedTuple):
    """How often the op came before; ``invalid`` is the place of the invalid value it comes with."""

    spec: OpSpec
    number: int
    invalid: int | None = None


class _Progress:
    """What the calls of an op have met since the turn ``begin``: classes, and values together."""

    def __init__(self, begin: int) -> None:
        self.begin = self.next = begin
        self._met: set[Triple] = set()
        self._together: set[tuple[Triple, ...]] = set()
        self._call: Call | None = None

    @property
    def call(self) -> Call:
        """The last that was taken."""
        assert self._call is not None
        return self._call

    def take(self, candidates: Sequence[Call]) -> None:
        """Choose the next call: the first of those with most classes that are new.

        Of several, one with most values of parameters that were not together before, or not with
        such tensors: many a fault needs two of them.
        """

        news = [len({*call.classes} - self._met) for call in candidates]
        best = [call for call, new in zip(candidates, news, strict=True) if new == max(news)]
        self._call = max(best, key=lambda call: len(_together(call) - self._together))
        self._met.update(self._call.classes)
        self._together |= _together(self._call)
        self.next += 1


@source(NAME)
class SingleOp(Memoryless):
    """Each index has its own op; those with many classes get more of the indices.

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
        self._shares = _shares(self._specs)
        self._phases = _phases(self._specs)
        usual = sum(self._shares.values())
        self._ends = list(accumulate(usual + len(phase) for phase in self._phases))
        self._round = -1
        self._order: list[_Turn] = []
        self._progress: dict[str, _Progress] = {}

    def ask(self, index: int) -> Trial:
        """A single op, now and then a chain with it; every sixth or so has one invalid value."""
        turn = self._turn(index)
        name = turn.spec.name
        kind = () if turn.invalid is None else ("invalid", turn.invalid)
        seed = derive(self._seed, NAME, name, *kind, turn.number)
        draw = Draw(seed, turn.number, derive(self._seed, name))
        if turn.invalid is None:
            calls = self._calls(turn.spec, turn.number, draw)
        else:
            calls = [self._spoilt(turn.spec, turn.invalid, draw)]
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

    def _turn(self, index: int) -> _Turn:
        """Whose turn an index is.

        In each round all ops come once in a random order, and some with an invalid value, then
        those that have a second turn.
        """
        block, place = divmod(index, self._ends[-1])
        phase = bisect_right(self._ends, place)
        round_ = block * _PHASES + phase
        if round_ != self._round:
            draw = Draw(derive(self._seed, NAME, "round", round_))
            first, *more = [
                [
                    _Turn(spec, round_ * self._shares[spec.name] + number)
                    for spec in self._specs
                    if self._shares[spec.name] > number
                ]
                for number in range(_MOST_TURNS)
            ]
            first += [_Turn(spec, block, invalid) for spec, invalid in self._phases[phase]]
            self._order = [turn for turns in (first, *more) for turn in draw.order(turns)]
            self._round = round_
        return self._order[place - self._ends[phase] + len(self._order)]

    def _in_chain(self, spec: OpSpec, turn: int) -> bool:
        draw = Draw(derive(self._seed, NAME, spec.name, turn, "chain"))
        return draw.chance(_CHAIN_CHANCE) and spec.name in self._chainable_names

    def _call(self, spec: OpSpec, turn: int) -> Call:
        """The call of an op for its turn: of several, the one that meets most for the first time.

        It depends on the turns before it in the same block, and on nothing else.
        """
        begin = turn - turn % _ROUNDS
        progress = self._progress.get(spec.name)
        if progress is None or progress.begin != begin or progress.next > turn:
            progress = self._progress[spec.name] = _Progress(begin)
        for due in range(progress.next, turn + 1):
            progress.take(self._candidates(spec, due))
        return progress.call

    def _candidates(self, spec: OpSpec, turn: int) -> list[Call]:
        series = derive(self._seed, spec.name)
        chain = self._in_chain(spec, turn)
        found = []
        for number in range(_CANDIDATES):
            draw = Draw(derive(self._seed, NAME, spec.name, turn, number), turn, series)
            # In chains no masks: Keras hands them on to the nodes behind, unseen by the graph.
            dtype = "float32" if chain else ""
            found.append(instantiate(spec, draw, self._palette, None, dtype, not chain))
        return found

    def _calls(self, spec: OpSpec, turn: int, draw: Draw) -> list[Call]:
        call = self._call(spec, turn)
        return self._neighbours(call, draw) if self._in_chain(spec, turn) else [call]

    def _spoilt(self, spec: OpSpec, invalid: int, draw: Draw) -> Call:
        """A call with an invalid value; a valid one if the value has no place in it."""
        call = instantiate(spec, draw, self._palette)
        try:
            return spoil(call, draw, invalid)
        except Invalid:
            return call

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


def _together(call: Call) -> set[tuple[Triple, ...]]:
    """What a parameter with another value than its default meets: another such one, or a tensor's
    class (a half turn of planes that are not square)."""
    names = {item.name for item in call.spec.parameters}
    chosen = [item for item in call.classes if item[1] in names and item[2] != "default"]
    tensors = [item for item in call.classes if item[1] not in names]
    return {*combinations(sorted(chosen), 2), *product(chosen, tensors)}


def _shares(specs: Sequence[OpSpec]) -> dict[str, int]:
    """How many turns each op has in a round: as many times as it has more classes than most."""
    sizes = {spec.name: len(universe(spec)) for spec in specs}
    usual = median(sizes.values())
    return {name: max(1, min(_MOST_TURNS, round(size / usual))) for name, size in sizes.items()}


def _phases(specs: Sequence[OpSpec]) -> list[list[tuple[OpSpec, int]]]:
    """The invalid values of all ops by their places, dealt to the rounds in which they come."""
    values = [
        (spec, place)
        for spec in specs
        for place in range(sum(len(item.invalid) for item in spec.parameters))
    ]
    return [values[phase::_PHASES] for phase in range(_PHASES)]


def _takes_any_values(spec: OpSpec) -> bool:
    """Can its first tensor be what another op computed? Else only a recipe fits its domain."""
    return spec.tensors[0].domain == REAL
