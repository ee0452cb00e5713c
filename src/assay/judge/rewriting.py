"""Oracle: a call by the program of a rule gives what the plain call gives.

One implementation, so nobody votes: somebody is wrong, and that is the library. Which of the
two programs it is, the same numbers in a wider format say, where they can.
"""

from collections.abc import Collection

import msgspec
import numpy as np

from assay.gaps import COARSENESS, HALF_PRECISION, SCREEN, gap, in_parts, peak
from assay.ir import Arm, Array, Evidence, Node, Observation, Parameters, Trace, Verdict
from assay.ir.graph import is_tensor
from assay.judge._base import HarnessError, Observed, PartOracle
from assay.judge.compare import Difference
from assay.judge.failures import DEATHS
from assay.judge.identity import headline
from assay.judge.numeric import element, stage_of
from assay_worker.rules import rule as rule_of

NAME = "rewrite"
#: How many times as much the screen allows as in float32, by format.
COARSE = {
    "bfloat16": COARSENESS[2.0**-7],
    "float16": HALF_PRECISION,
    "float32": 1.0,
    "complex64": 1.0,
    "float64": 2.0**-29,
    "complex128": 2.0**-29,
}
#: Between the name of an oracle and its tolerance.
_WITHIN = ":"
#: Before the names of what a rule's own first program gives; see ``assay_worker.rewriting``.
EXPECTED = "expected:"


class RewriteOracle(PartOracle):
    """At most one verdict for each rule and target: at the first array that differs."""

    name = NAME
    relation = "equivalent"

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """See ``Oracle``."""
        seen = self._seen(observed)
        return [msgspec.structs.replace(verdict, oracle=self.name) for verdict in seen]

    def _seen(self, observed: Observed) -> list[Verdict]:
        *_, arm = observed.trial.arms
        if not arm.rule or len(observed.traces) < 2 or observed.trial.intent != "valid":
            return []
        first, second = observed.traces.values()
        if first.status != "ok":
            return []
        if second.failure is not None:
            return [_raises(observed, arm, second)]
        before, after = programs_of(first, second)
        if not set(before) & set(after):
            raise HarnessError(f"rule {arm.rule} of {_node(observed).op}: nothing corresponds")
        for array in sorted(set(before) | set(after)):
            if array not in before or array not in after:
                return [_missing(observed, arm, array, array in before)]
            found = self.differ(before[array], after[array], _formats(observed))
            if found is not None:
                return [_differs(observed, arm, array, (before[array], after[array]), found)]
        return []

    def differ(self, first: Array, second: Array, formats: Collection[str]) -> Difference | None:
        """How two answers differ, if beyond doubt; ``formats`` are those of the inputs."""
        return apart(first, second, formats)


class TolerantOracle(RewriteOracle):
    """The same by a fixed tolerance, as published: numbers are apart by more than

    ``absolute + relative * |second|``. Formats are no matter, nor what rounding explains.
    """

    def __init__(self, absolute: float, relative: float) -> None:
        self._absolute, self._relative = absolute, relative
        self.name = f"{NAME}{_WITHIN}{absolute!r},{relative!r}"

    def differ(self, first: Array, second: Array, formats: Collection[str]) -> Difference | None:
        """See ``RewriteOracle``."""
        between = gap(first, second)
        if between is None:
            return Difference("shape")
        if between.special is not None:
            return Difference("nan", peak(between.special), float("inf"))
        if not between.furthest:
            return None
        allowed = self._absolute + self._relative * np.abs(between.second)
        excess = between.deviation - allowed
        if not excess.max() > 0:
            return None
        position = peak(excess)
        found = float(between.deviation[position])
        return Difference("value", position, found, float(allowed[position]))


def rewrites(oracle: str) -> bool:
    """Is that the name of an oracle of programs by rules?"""
    return oracle.partition(_WITHIN)[0] == NAME


def tolerant(oracle: str) -> TolerantOracle | None:
    """The oracle of that name, which has its tolerance in it; None if it is another's."""
    name, _, told = oracle.partition(_WITHIN)
    if name != NAME or not told:
        return None
    absolute, relative = map(float, told.split(","))
    return TolerantOracle(absolute, relative)


def programs_of(first: Trace, second: Trace) -> tuple[dict[str, Array], dict[str, Array]]:
    """What the two programs of a rule gave, by the names of the outputs."""
    own = {
        name.removeprefix(EXPECTED): array
        for name, array in second.arrays.items()
        if name.startswith(EXPECTED)
    }
    after = {name: a for name, a in second.arrays.items() if name.startswith("output:")}
    plain = {name: a for name, a in first.arrays.items() if name.startswith("output:")}
    return own or plain, after


def apart(first: Array, second: Array, formats: Collection[str] = ()) -> Difference | None:
    """How two answers in one format differ beyond any doubt, or None.

    The usual screen, of the coarsest format among theirs and the further ``formats`` that they
    were made of (NumPy holds bfloat16 as float32): double precision is exact to more digits.
    """
    if first.shape != second.shape:
        return Difference("shape")
    if first.dtype.kind != second.dtype.kind:
        return Difference("dtype")
    if first.dtype.kind == "c":
        in_part = apart(in_parts(first), in_parts(second), formats)
        return in_part and msgspec.structs.replace(in_part, position=in_part.position[:-1])
    between = gap(first, second)
    assert between is not None  # one shape
    if between.special is not None:
        return Difference("nan", peak(between.special), float("inf"))
    if not between.furthest:
        return None
    if between.whole:
        position = peak(between.deviation > 0)
        return Difference("value", position, float(between.deviation[position]))
    coarse = max(COARSE.get(name, 0.0) for name in (*formats, first.dtype.name, second.dtype.name))
    size = between.size
    allowed = SCREEN.allowed(size, float(size.max()), coarse)
    excess = between.deviation - allowed
    if excess.max() <= 0:
        return None
    position = peak(excess)
    found = float(between.deviation[position])
    return Difference("value", position, found, float(allowed[position]))


def _formats(observed: Observed) -> set[str]:
    return {item.dtype for item in observed.case.graph.inputs}


def _node(observed: Observed) -> Node:
    return observed.case.graph.nodes[-1]


def _verdict(observed: Observed, arm: Arm, evidence: Evidence, magnitude: float = 0.0) -> Verdict:
    node = _node(observed)
    return Verdict(
        oracle=NAME,
        kind="equivalence",
        stage=stage_of(evidence.where) if evidence.where else "forward",
        category="bug",
        op=node.op,
        node=node.id,
        params={**node.params, **_keywords(node)},
        targets=(arm.target,),
        blamed=(arm.target,),
        magnitude=magnitude,
        evidence=evidence,
    )


def _keywords(node: Node) -> Parameters:
    """What a call is told besides its tensors, by name."""
    return {
        name: value
        for name, value in node.arguments.items()
        if not name.isdigit() and not is_tensor(value)
    }


def _reason(arm: Arm) -> str:
    return f"these two must agree: {rule_of(arm.rule).says}"


def _told(observed: Observed, arm: Arm, plain: str, rewritten: str) -> tuple[Observation, ...]:
    own = observed.votes(arm.target, _node(observed).op)
    return (Observation(arm.target, own, plain), Observation(arm.name, own, rewritten))


def _raises(observed: Observed, arm: Arm, second: Trace) -> Verdict:
    """The second program fails where the first works."""
    failure = second.failure
    assert failure is not None
    said = failure.exception if second.status in DEATHS else headline(failure)
    found = _verdict(
        observed,
        arm,
        Evidence(
            observations=_told(observed, arm, "works", said),
            reason=_reason(arm),
            message=f"{arm.rule}: {said}",
            stack=failure.stack,
        ),
    )
    kind = "crash" if second.status in DEATHS else "equivalence"
    return msgspec.structs.replace(found, kind=kind)


def _missing(observed: Observed, arm: Arm, array: str, plain: bool) -> Verdict:
    """One of the programs gives more than the other."""
    there, gone = f"gives {array}", "does not"
    return _verdict(
        observed,
        arm,
        Evidence(
            observations=_told(observed, arm, *((there, gone) if plain else (gone, there))),
            reason=_reason(arm),
            where=array,
            message=f"{arm.rule}: another number of results",
        ),
    )


def _differs(
    observed: Observed, arm: Arm, where: str, pair: tuple[Array, Array], found: Difference
) -> Verdict:
    own = observed.votes(arm.target, _node(observed).op)
    words = {
        "shape": lambda array: f"shape {list(array.shape)}",
        "dtype": lambda array: f"{array.dtype.name}",
    }
    observations = tuple(
        Observation(name, own, words[found.what](array))
        if found.what in words
        else Observation(
            name, own, f"{element(array, found.position):.9g}", element(array, found.position)
        )
        for name, array in zip((arm.target, arm.name), pair, strict=True)
    )
    kinds = {"shape": "another shape", "dtype": "another dtype", "nan": "NaN or infinity"}
    return _verdict(
        observed,
        arm,
        Evidence(
            observations=observations,
            reason=_reason(arm),
            where=where,
            position=found.position,
            tolerance=found.tolerance,
            message=f"{arm.rule}: {kinds.get(found.what, 'another result')}",
        ),
        found.magnitude,
    )
