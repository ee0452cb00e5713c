"""One call, computed in two ways that must agree: an API and a rule, on many inputs."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from assay.catalogue.chosen import Chosen
from assay.catalogue.drawing import drawn, plain_call, possible
from assay.catalogue.records import Call, Entry
from assay.errors import AssayError
from assay.ir import Arm, Case, Trial, derive
from assay.libraries import libraries
from assay.ops import Draw, Invalid, OpSpec
from assay.ops.classes import universe
from assay.ops.instance import instantiate
from assay.ops.shapes import Palette
from assay.sources._assemble import assemble
from assay.sources._base import Memoryless, Triple, catalogued_source
from assay_worker.catalogue import drawing
from assay_worker.rules import NAMES, rule
from assay_worker.rules._base import Facts, Rule

NAME = "rewrite"
#: What stands among a trial's classes for the rule.
_RULE = "rule"
#: Calls of an op of the vocabulary that are looked at for whether a rule applies.
_CALLS = 4


class _Pair(NamedTuple):
    """An API of a target and a rule; of a catalogue, the calls that are in the rule's domain."""

    target: str
    rule: Rule
    entry: Entry | None
    calls: tuple[Call, ...]
    spec: OpSpec | None

    @property
    def api(self) -> str:
        """Its public path."""
        if self.entry is not None:
            return self.entry.api
        assert self.spec is not None
        return self.spec.name


@catalogued_source(NAME)
class Rewrite(Memoryless):
    """Each index is a pair; a round has every pair once, those that compile last.

    Learns nothing: any index may be asked for at any time.
    """

    name = NAME

    def __init__(
        self,
        seed: int,
        targets: tuple[str, ...],
        vocabulary: Mapping[str, OpSpec],
        chosen: Chosen,
    ) -> None:
        self._seed = seed
        self._draws = min(chosen.draws, chosen.inputs or chosen.draws)
        self._inputs = chosen.inputs
        self._tolerance = chosen.tolerance
        self._drawing = chosen.drawing
        self._palette = Palette(derive(seed, NAME))
        usual = [name for name in NAMES if not rule(name).dear]
        rules = [rule(name) for name in chosen.rules or usual]
        self.pairs: list[_Pair] = []
        first: dict[str, list[tuple[OpSpec, tuple[Facts, ...]]]] = {}
        for target in targets:
            if target not in chosen.libraries:
                continue  # the reference: it has no programs
            library = chosen.libraries[target]
            if target in chosen.snapshots:
                for entry in chosen.snapshots[target].usable:
                    self.pairs += _of_entry(target, library, entry, rules)
            else:
                if library not in first:
                    own = _own_words(library, vocabulary)
                    first[library] = [
                        (spec, _first_calls(library, spec)) for spec in own if not spec.stochastic
                    ]
                for spec, calls in first[library]:
                    self.pairs += _of_spec(target, spec, calls, rules)
        if not self.pairs:
            raise AssayError(
                "no rule applies to these targets and ops. assay rules lists what each applies to."
            )
        self._round = -1
        self._order: list[_Pair] = []

    def ask(self, index: int) -> Trial:
        """The pair whose turn it is, in sizes, dtypes and values of its own."""
        round_, place = divmod(index, len(self.pairs))
        pair = self._ordered(round_)[place]
        seed = derive(self._seed, NAME, pair.api, pair.rule.name, pair.target, round_)
        case, classes = self._drawn(pair, round_, seed)
        trial = Trial(
            index=index,
            source=NAME,
            cases=(case,),
            arms=(Arm(pair.target),),
            classes=(*classes, (pair.api, _RULE, pair.rule.name)),
            draws=self._draws,
            tolerance=self._tolerance,
        )
        return trial.by_rule(pair.rule.name)

    @property
    def enough(self) -> int:
        """Trials after which every pair had the inputs that were asked for; 0 if none were."""
        return len(self.pairs) * -(-self._inputs // self._draws)

    def universe(self) -> frozenset[Triple]:
        """Every pair of API and rule, and every way in which a call may differ from its sample."""
        found = {(pair.api, _RULE, pair.rule.name) for pair in self.pairs}
        for pair in self.pairs:
            if pair.entry is not None:
                found.update(possible(pair.entry, pair.calls))
            elif pair.spec is not None:
                found.update(universe(pair.spec))
        return frozenset(found)

    def _ordered(self, round_: int) -> list[_Pair]:
        if round_ != self._round:
            shuffled = Draw(derive(self._seed, NAME, "round", round_)).order(self.pairs)
            self._order = sorted(shuffled, key=lambda pair: pair.rule.compiles)
            self._round = round_
        return self._order

    def _drawn(self, pair: _Pair, round_: int, seed: int) -> tuple[Case, tuple[Triple, ...]]:
        if pair.entry is not None:
            # The sample's own classes are what a library's tests have; the first of all rounds
            # begins with another for each pair.
            call = pair.calls[(round_ + seed) % len(pair.calls)]
            made = drawn(pair.entry, call, seed, self._drawing)
            return made.case, made.classes
        assert pair.spec is not None
        return self._specified(pair.spec, seed, pair.rule.special)

    def _specified(
        self, spec: OpSpec, seed: int, with_special: bool
    ) -> tuple[Case, tuple[Triple, ...]]:
        draw = Draw(seed)
        call = instantiate(spec, draw, self._palette)
        assembled = assemble([call], draw, seed, with_special)
        case = msgspec.structs.replace(assembled.case, stage="forward", loss=None, training=False)
        return case, assembled.classes


def _of_entry(target: str, library: str, entry: Entry, rules: Sequence[Rule]) -> list[_Pair]:
    """The pairs of an API of a catalogue."""
    found = []
    for item in rules:
        calls = tuple(
            _within(item, call, facts)
            for call in entry.calls
            if item.covers(facts := facts_of(library, entry, call))
        )
        if calls:
            found.append(_Pair(target, item, entry, calls, None))
    return found


def _within(rule: Rule, call: Call, facts: Facts) -> Call:
    """The call with the special values that the rule holds for."""
    if rule.special:
        return call
    held = tuple(name for name in call.special if rule.holds_for(name, facts))
    return msgspec.structs.replace(call, special=held)


def facts_of(library: str, entry: Entry, call: Call) -> Facts:
    """What rules ask of a call, its sizes and dtypes those of the sample."""
    plain = plain_call(call)
    choice = drawing.sample(plain)
    params, arguments = (drawing.settled(item, choice) for item in (call.params, call.arguments))
    inputs = [
        {
            "name": item.name,
            "shape": list(drawing.shape_of(tensor, choice.sizes)),
            "dtype": item.dtype,
        }
        for item, tensor in zip(call.inputs, plain["inputs"], strict=True)
    ]
    return Facts(library, entry.api, params, arguments, inputs, entry.undefined)


def _own_words(library: str, vocabulary: Mapping[str, OpSpec]) -> Iterator[OpSpec]:
    """The ops of a vocabulary that are in the words of this library."""
    known = libraries().get(library)
    for spec in vocabulary.values():
        if known is not None and spec.name.startswith(f"{known.root}."):
            yield spec


def _of_spec(
    target: str, spec: OpSpec, first: Sequence[Facts], rules: Sequence[Rule]
) -> list[_Pair]:
    """The pairs of an op of the vocabulary: one of its first calls must be in the domain."""
    return [
        _Pair(target, item, None, (), spec)
        for item in rules
        if any(item.covers(facts) for facts in first)
    ]


@cache
def _palette(index: int) -> Palette:
    return Palette(index)


def _first_calls(library: str, spec: OpSpec) -> tuple[Facts, ...]:
    """What rules ask, of the first calls of an op."""
    found = (_spec_facts(library, spec, index) for index in range(_CALLS))
    return tuple(facts for facts in found if facts)


def _spec_facts(library: str, spec: OpSpec, index: int) -> Facts | None:
    """What rules ask, of one of its first calls; None if that is none."""
    try:
        draw = Draw(derive(index, NAME, spec.name))
        call = instantiate(spec, draw, _palette(index))
    except Invalid:
        return None
    case = assemble([call], draw, index).case
    inputs = [
        {"name": item.name, "shape": list(item.shape), "dtype": item.dtype}
        for item in case.graph.inputs
    ]
    node = case.graph.nodes[0]
    return Facts(library, spec.name, node.params, node.arguments, inputs)
