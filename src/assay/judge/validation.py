"""The oracle for a deliberately invalid value: who accepts what others reject, and is it wrong?"""

import re
from collections.abc import Sequence

import msgspec
import numpy as np

from assay.ir import REFERENCE, Array, Verdict
from assay.judge._base import Observed, PartOracle
from assay.judge.failures import (
    accepted,
    all_accidents,
    blamed_only,
    place_of,
    promised,
    raised,
    refusal_of,
)
from assay.judge.numpy_vote import numpy_answer, numpy_refuses
from assay.judge.refusing import states_a_requirement
from assay.judge.voting import vote

_DEVICES = re.compile(r"\{\{.*?\}\}")
#: Shorter words (size, axis, num) are in many messages.
_SHORT = 4
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


class ValidationOracle(PartOracle):
    """A deliberately invalid value that one target rejects and another accepts."""

    name = "validation"

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """At most one verdict: it is about one parameter of one node."""
        if observed.trial.intent != "invalid":
            return []
        accepting, rejecting = raised(observed)
        accepting = [target for target in accepting if target != REFERENCE]
        if not accepting or not rejecting:
            return []
        place = place_of(observed, observed.traces[rejecting[0]])
        op = place[1]
        refusal = refusal_of(observed, op, rejecting)
        if refusal is not None and refusal.promised:
            return [promised(self.name, observed, place, rejecting, accepting, refusal)]
        blamed = blamed_only(vote([rejecting, accepting], op, observed.votes), accepting)
        libraries = [target for target in rejecting if target != REFERENCE]
        parameter = observed.trial.spoilt
        clear = any(_speaks_of(observed, target, parameter) for target in libraries)
        if blamed and not clear and all_accidents(observed, libraries, op):
            more = ": nobody refuses it, they fail inside of what they do with it"
            found = accepted(self.name, observed, place, rejecting, accepting, more)
            return [msgspec.structs.replace(found, category="bug", blamed=tuple(sorted(libraries)))]
        more = ""
        if blamed and numpy_answer(observed.case) is not None:
            blamed, more = (), ", and NumPy, whose semantics are promised, accepts it, too"
        elif clear and not blamed:
            if _at_odds(observed, accepting):
                more = ", and those that accept it make different things of it"
            elif _nothing_but_nan(observed, accepting):
                more = ", and gives nothing but NaN"
            elif not refusal and numpy_refuses(observed.case):
                more = ", and NumPy, whose semantics are promised, rejects it, too"
            blamed = tuple(sorted(accepting)) if more else ()
        found = accepted(self.name, observed, place, rejecting, accepting, more)
        return [
            msgspec.structs.replace(
                found,
                # An error that happens to come of it is no check that others lack, and one
                # that most do without is a strict one.
                category="bug" if clear and blamed and not refusal else "unsupported",
                blamed=blamed,
                recognised=refusal.id if refusal else "",
            )
        ]


def _speaks_of(observed: Observed, target: str, parameter: str) -> bool:
    """Does the message of a rejection name the parameter, or the value it refuses?

    Or does it say what numbers have to be? Then it is a check, in the words of whoever is called.
    """
    failure = observed.traces[target].failure
    if failure is None or not parameter:
        return failure is not None
    given = [
        repr(value[parameter])
        for node in observed.case.graph.nodes
        for value in (node.params, node.arguments)
        if parameter in value
    ]
    # What a library adds to any message names devices and other arguments.
    said = _DEVICES.sub("", failure.message.partition("Arguments received by")[0])
    words = said.replace("(", "[").replace(")", "]")
    named = parameter in words or _mentions(words, parameter) or states_a_requirement(failure)
    return named or any(_quotes(words, value.strip("[]'")) for value in given)


def _mentions(words: str, parameter: str) -> bool:
    """Is the last word of the parameter's name in the message, if it is a telling one?"""
    noun = parameter.rpartition("_")[2]
    return len(noun) > _SHORT and re.search(rf"\b{noun}\b", words) is not None


def _quotes(words: str, value: str) -> bool:
    """Is the value in the message? A number as such, not as a part of a shape or another.

    Negative numbers are part of no shape.
    """
    if not _NUMBER.fullmatch(value):
        return value in words
    if value.startswith("-"):
        return re.search(rf"(?<![\w.]){re.escape(value)}(?!\d|\.\d*[1-9])", words) is not None
    return re.search(rf"(?<![\w.,\[-]){re.escape(value)}(?![\w,\]]|\.\d)", words) is not None


def _at_odds(observed: Observed, accepting: Sequence[str]) -> bool:
    """Do some give NaN where others give a number, or another shape? Then it means nothing.

    Other numbers say nothing: those of random ops are never the same.
    """
    outputs = [observed.traces[target].outputs() for target in accepting]
    first, *others = [{name: _kinds(array) for name, array in given.items()} for given in outputs]
    return any(first != other for other in others)


def _nothing_but_nan(observed: Observed, accepting: Sequence[str]) -> bool:
    """Do those who accept it give NaN and nothing else, of numbers? Then it means nothing."""
    inputs = observed.case.input_arrays().values()
    if not all(np.isfinite(array).all() for array in inputs if array.dtype.kind in "fc"):
        return False
    given = [item for target in accepting for item in observed.traces[target].outputs().values()]
    return bool(given) and all(
        array.size and array.dtype.kind in "fc" and np.isnan(array).all() for array in given
    )


def _kinds(array: Array) -> tuple[tuple[int, ...], bytes]:
    """The shape, and which elements are no numbers."""
    missing = np.isnan(array) if array.dtype.kind in "fc" else np.zeros(array.shape, bool)
    return array.shape, missing.tobytes()
