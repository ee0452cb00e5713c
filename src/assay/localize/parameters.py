"""Which parameter makes the difference? Give each another value and look whether it goes away.

The causal step: one parameter at a time gets every other valid value that its
spec offers, and for each the inputs are varied too. A parameter is *responsible*
if the disagreement cannot be brought back with any other value of it. It *does not
matter* if it shows with another value, or matters in *part* if it goes away with yet
another one. If no single parameter is responsible, pairs are changed together.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice, product
from typing import Any, Literal

import msgspec

from assay.ir import Case, Node, Recipe, derive
from assay.ir.transform import with_parameters
from assay.ops import OpSpec
from assay.ops.placing import UNKNOWN_CALL, Vocabulary, placed, shapes_of, valid_values
from assay.ops.values import ordinary

#: ``shows`` the disagreement, the arms ``agree``, or nothing can be said of it (``silent``):
#: nobody works with that value, or it is refused.
Answer = Literal["shows", "agree", "silent"]
Ask = Callable[[Case], Answer]

#: Other values of one parameter that are tried, and of each of a pair.
_VALUES = 6
_VALUES_OF_PAIR = 2
#: Other values that may show that a parameter matters in part.
_VALUES_OF_PART = 3
#: Draws of fresh inputs for each value.
_DRAWS = 2


class Responsible(msgspec.Struct, frozen=True):
    """What the parameters of a call have to do with a disagreement.

    ``single`` are responsible each by itself (all of them are needed); ``together``
    is a pair that is responsible only as one; ``partial`` are given, and some of their
    other values show it and some do not; ``irrelevant`` do not matter. What is in none
    of them could not be decided.
    """

    single: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    calls: int = 0


class _Trials:
    """Asks about cases until the budget is spent."""

    def __init__(self, ask: Ask, calls: int) -> None:
        self._ask = ask
        self._left = calls
        self.calls = 0

    def outcome(self, cases: Iterator[Case]) -> Answer:
        """Shows, if one case does; agree, if none does and the arms agree on one."""
        outcome: Answer = "silent"
        for case in cases:
            if self._left <= 0:
                # Undecided: what was not looked for cannot be called gone.
                return "silent"
            self._left -= 1
            self.calls += 1
            answer = self._ask(case)
            if answer == "shows":
                return answer
            if answer == "agree":
                outcome = answer
        return outcome


def responsible(
    cases: Sequence[Case], ask: Ask, vocabulary: Vocabulary, calls: int = 120
) -> Responsible:
    """Which parameters of the call are responsible for what the cases show.

    ``cases`` show the disagreement, the simplest first; each has one node, of the
    same op. The first one's parameters are judged, those left to their defaults
    included; the inputs of the others help to bring the disagreement back. At most
    ``calls`` cases are asked about; deterministic.
    """
    case = cases[0]
    if len(case.graph.nodes) != 1 or case.graph.nodes[0].op not in vocabulary:
        return Responsible()
    (node,) = case.graph.nodes
    spec = vocabulary[node.op]
    trials = _Trials(ask, calls)
    alternatives = {
        item.name: _others(case, node, spec, item.name, vocabulary) for item in spec.parameters
    }
    outcomes: dict[str, Answer] = {
        name: trials.outcome(_varied(cases, [(name, value) for value in values], vocabulary))
        for name, values in alternatives.items()
        if values
    }
    single = tuple(name for name, answer in outcomes.items() if answer == "agree")
    irrelevant = tuple(name for name, answer in outcomes.items() if answer == "shows")
    together: tuple[str, ...] = ()
    given = [name for name in irrelevant if _is_given(node, spec, name)]
    if not single:
        together = _pair(cases, given, alternatives, trials, vocabulary)
    partial = tuple(
        name
        for name in given
        if name not in together
        and any(
            trials.outcome(_with(cases, {name: value}, vocabulary)) == "agree"
            for value in _telling(alternatives[name], spec, name)
        )
    )
    apart = tuple(name for name in irrelevant if name not in (*together, *partial))
    return Responsible(single, together, partial, apart, trials.calls)


def _telling(values: Sequence[Any], spec: OpSpec, name: str) -> list[Any]:
    """The values most likely to make it go away: the default, then the first ones."""
    described = next(item for item in spec.parameters if item.name == name)
    default = _plain(described.default)
    return sorted(values, key=lambda value: not _same(value, default))[:_VALUES_OF_PART]


def _is_given(node: Node, spec: OpSpec, name: str) -> bool:
    """Has a parameter another value than its default?

    What was left alone is no part of a pair: a report would send its reader to something that
    is not in the call.
    """
    described = next(item for item in spec.parameters if item.name == name)
    values = {**node.params, **node.arguments}
    return name in values and not _same(_plain(values[name]), _plain(described.default))


def _others(case: Case, node: Node, spec: OpSpec, name: str, vocabulary: Vocabulary) -> list[Any]:
    """Other values of a parameter than it has, as records keep them."""
    described = next(item for item in spec.parameters if item.name == name)
    current = _plain(spec.complete({**node.params, **node.arguments}).get(name))
    values = [_plain(value) for value in valid_values(case, node, described, vocabulary)]
    if not described.required:
        values.append(_plain(described.default))
    if "ax" in name:
        rank = len(case.graph.inputs[0].shape) if case.graph.inputs else 0
        values = [value for value in values if _counted(value, rank) != _counted(current, rank)]
    different = {repr(value): value for value in values if not _same(value, current)}
    return list(different.values())[:_VALUES]


def _counted(axis: Any, rank: int) -> Any:
    """An axis, or several, counted from the front: -1 and the last are the same one."""
    if isinstance(axis, list):
        return _counted(axis[0], rank) if len(axis) == 1 else [_counted(a, rank) for a in axis]
    return axis % rank if type(axis) is int and rank else axis


def _same(first: Any, second: Any) -> bool:
    """Equal, or the same for each axis: 2 and (2, 2)."""
    if isinstance(first, list) and not isinstance(second, list):
        return bool(first) and all(_same(item, second) for item in first)
    if isinstance(second, list) and not isinstance(first, list):
        return _same(second, first)
    return type(first) is type(second) and bool(first == second)


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _pair(
    cases: Sequence[Case],
    names: Sequence[str],
    alternatives: dict[str, list[Any]],
    trials: _Trials,
    vocabulary: Vocabulary,
) -> tuple[str, ...]:
    """The first pair of parameters that are responsible together."""
    for pair in combinations(names, 2):
        values = [alternatives[name][:_VALUES_OF_PAIR] for name in pair]
        varied = (
            case
            for chosen in product(*values)
            for case in _with(cases, dict(zip(pair, chosen, strict=True)), vocabulary)
        )
        if trials.outcome(varied) == "agree":
            return pair
    return ()


def _varied(
    cases: Sequence[Case], settings: Sequence[tuple[str, Any]], vocabulary: Vocabulary
) -> Iterator[Case]:
    """Every value on the inputs as they are, before any value on other inputs."""
    waiting = [_with(cases, {name: value}, vocabulary) for name, value in settings]
    for variations in waiting:
        yield from islice(variations, 1)
    for variations in waiting:
        yield from variations


def _with(cases: Sequence[Case], values: dict[str, Any], vocabulary: Vocabulary) -> Iterator[Case]:
    """The cases with other values of some parameters, then on fresh inputs, as far as valid."""
    for case in cases:
        (node,) = case.graph.nodes
        of_call = {item.name for item in vocabulary[node.op].parameters if item.argument}
        params = {k: v for k, v in values.items() if k not in of_call}
        arguments = {k: v for k, v in values.items() if k in of_call}
        candidate = with_parameters(case, node, params, arguments)
        if _valid(candidate, vocabulary):
            yield candidate
    # The last one is the largest: most room for the disagreement to show.
    candidates = [candidate] if _valid(candidate, vocabulary) else []
    for candidate in candidates:
        for draw in range(_DRAWS):
            drawn = fresh(candidate, draw, vocabulary)
            if drawn is not None:
                yield drawn


def _valid(case: Case, vocabulary: Vocabulary) -> bool:
    try:
        shapes_of(case, vocabulary)
    except UNKNOWN_CALL:
        return False
    return True


def fresh(case: Case, draw: int, vocabulary: Vocabulary) -> Case | None:
    """The case with ordinary inputs, drawn anew; None if the op has none."""
    (node,) = case.graph.nodes
    spec = vocabulary[node.op]
    try:
        shapes = shapes_of(case, vocabulary)
        call = placed(spec, node)
        given = tuple(shapes[name] for name in call.tensors)
        dtypes = {item.name: item.dtype for item in case.graph.inputs}
        recipes: dict[str, Recipe] = {
            name: ordinary(
                spec.domain(slot, call.params, given), dtypes[name], derive(draw, "fresh", name)
            )
            for slot, name in zip(call.slots, call.tensors, strict=True)
        }
    except UNKNOWN_CALL:
        return None
    return msgspec.structs.replace(case, inputs=recipes) if recipes else None
