"""What a difference between a call and its program by a rule is: rounding, or a bug.

Both programs are run with every number nudged by one unit in the last place: what that moves as
far as they are apart is rounding. What goes away with moderate numbers is an overflow on the way.
"""

import numpy as np

from assay.ir import Admissible, Array, Case, Verdict
from assay.ir.transform import (
    exact_case,
    moderated_case,
    nudged_cases,
    shrunk_case,
    tamed_case,
    widened_case,
)
from assay.judge._base import Observe, Observed
from assay.judge.judgement import Judgement
from assay.judge.namesake import namesake_answer
from assay.judge.numeric import element
from assay.judge.registry import oracle
from assay.judge.rewriting import programs_of
from assay.judge.rounding import NUDGES, of_shape, sensitivity
from assay_worker.rules import rule as rule_of

#: Programs that agree to this share in a wider format say which of them is right …
_AGREE = 1e-6
#: … namely who is as close to that.
_CLOSE = 1e-3
#: Terms of a sum, or of a quotient, are so many times as large as it easily.
_OF_TERMS = 8.0

Pair = tuple[Array, Array]


def judged_pair(observed: Observed, verdict: Verdict, observe: Observe) -> Judgement:
    """The category of a confirmed difference, and why."""
    evidence = verdict.evidence
    pair = _pair(observed, verdict)
    if pair is None or pair[0].dtype.kind not in "fc" or pair[0].shape != pair[1].shape:
        return Judgement("bug", "votes", evidence.reason)
    exact = exact_case(observed.case, pair[0].dtype)
    if exact is not None and not _shows(observe(observed.trial.asking(exact)), verdict):
        reason = "it shows only with whole numbers that the format of the result does not hold"
        return Judgement("rounding", "moderate", reason)
    moderate = moderated_case(exact or observed.case)
    if moderate is not None and not _shows(observe(observed.trial.asking(moderate)), verdict):
        reason = "it shows only with numbers too large or small for the format"
        return Judgement("rounding", "moderate", reason)
    if _near_the_end(pair, evidence.position):
        reason = "one is infinite, the other so large that terms of it do not fit the format"
        return Judgement("rounding", "overflow", reason)
    if _complex_beyond(pair, evidence.position):
        small = shrunk_case(observed.case)
        if not _shows(observe(observed.trial.asking(small)), verdict):
            reason = "both leave the format, and nobody defines what a complex number is then"
            return Judgement("rounding", "overflow", reason)
    if rule_of(verdict.evidence.message.partition(":")[0]).any_format:
        wide = _widened(observed.case)
        if wide is not None:
            return _judged_wide(observe(observed.trial.asking(wide)), verdict, observe)
    told = _right(observed, verdict, pair, observe) or _namesake(observed, verdict, pair)
    reason = f"{evidence.reason}; {told}" if told else evidence.reason
    tame = tamed_case(observed.case)
    if tame is not None and not told and not _shows(observe(observed.trial.asking(tame)), verdict):
        spread = "how NaN and infinities spread through it, nobody defines"
        return Judgement("convention", "undefined", spread)
    if not np.isfinite(verdict.magnitude):
        return Judgement("bug", "outside", reason)
    granted, admissible = _granted(observed, verdict, pair, observe)
    if verdict.magnitude <= granted:
        reason = f"one ULP of input moves either by {granted:.3g}, as far as they are apart"
        return Judgement("rounding", "inside", reason, admissible=admissible)
    return Judgement("bug", "outside", reason, admissible=admissible)


def _judged_wide(seen: Observed, verdict: Verdict, observe: Observe) -> Judgement:
    """What the difference is in a wider format, which has it too if one has another formula.

    There rounding is smaller than anywhere else.
    """
    again = _shown(seen, verdict)
    if again is None:
        reason = "in a wider format the two agree, as they would not if one had another formula"
        return Judgement("rounding", "wider", reason)
    found = judged_pair(seen, again, observe)
    if found.category != "bug":
        return found
    return Judgement(
        "bug", "wider", f"{verdict.evidence.reason}; they differ in a wider format, too"
    )


def _near_the_end(pair: Pair, position: tuple[int, ...]) -> bool:
    """Is one infinite where the other is hardly smaller than the largest number of its format?"""
    values = [element(array, position) for array in pair]
    largest = min(float(np.finfo(array.dtype).max) for array in pair)
    infinite = [bool(np.isinf(value)) for value in values]
    same_sign = np.signbit(values[0]) == np.signbit(values[1])
    finite = values[infinite.index(False)] if any(infinite) and not all(infinite) else 0.0
    return bool(same_sign and abs(finite) >= largest / _OF_TERMS)


def _complex_beyond(pair: Pair, position: tuple[int, ...]) -> bool:
    """Are both complex, and neither finite?"""
    return all(array.dtype.kind == "c" and not bool(np.isfinite(array[position])) for array in pair)


def _pair(observed: Observed, verdict: Verdict) -> Pair | None:
    """What the two programs gave where they differ."""
    for part in observed.parts("equivalent"):
        if not part.trial.rule or len(part.traces) < 2:
            continue
        before, after = programs_of(*part.traces.values())
        where = verdict.evidence.where
        if where in before and where in after:
            return before[where], after[where]
    return None


def _shows(observed: Observed, verdict: Verdict) -> bool:
    return _shown(observed, verdict) is not None


def _shown(observed: Observed, verdict: Verdict) -> Verdict | None:
    """The same rule's verdict on another case."""
    mine = (verdict.op, verdict.evidence.message.partition(":")[0])
    for other in oracle(verdict.oracle).judge(observed):
        if (other.op, other.evidence.message.partition(":")[0]) == mine:
            return other
    return None


def _granted(
    observed: Observed, verdict: Verdict, pair: Pair, observe: Observe
) -> tuple[float, Admissible | None]:
    """How far rounding moves either program at the disputed element."""
    position = verdict.evidence.position
    moved = [
        other
        for case in nudged_cases(observed.case, NUDGES)
        if (other := _pair(observe(observed.trial.asking(case)), verdict)) is not None
    ]
    granted = 0.0
    for place, base in enumerate(pair):
        others = of_shape(base, [item[place] for item in moved])
        if others:
            granted = max(granted, sensitivity(base, others).granted(position))
    value, centre = (element(array, position) for array in reversed(pair))
    found = Admissible(
        source=verdict.targets[0],
        family="rewrite",
        answer=value,
        centre=centre,
        lower=centre - granted,
        upper=centre + granted,
        ball=granted,
        nudged=tuple(
            element(item[0], position) for item in moved if item[0].shape == pair[0].shape
        ),
        where=verdict.evidence.where,
        position=position,
    )
    return granted, found


def _right(observed: Observed, verdict: Verdict, pair: Pair, observe: Observe) -> str:
    """Which of the programs a wider format agrees with, in words; "" if it does not say."""
    wide = _widened(observed.case)
    other = None if wide is None else _pair(observe(observed.trial.asking(wide)), verdict)
    position = verdict.evidence.position
    if other is None or other[0].shape != pair[0].shape or other[1].shape != pair[0].shape:
        return ""
    first, second = (element(array, position) for array in other)
    if not _same(first, second, _AGREE):
        return ""
    return _wrong("in a wider format both give", first, pair, position)


def _namesake(observed: Observed, verdict: Verdict, pair: Pair) -> str:
    """Which of them NumPy's function of the same name agrees with, in words; "" if it is silent."""
    answer = namesake_answer(observed.case)
    if answer is None or answer.shape != pair[0].shape:
        return ""
    position = verdict.evidence.position
    return _wrong("NumPy gives", element(answer, position), pair, position)


def _wrong(who: str, truth: float, pair: Pair, position: tuple[int, ...]) -> str:
    """Whose element is farther from the truth, in words; "" if neither or both are right."""
    given = [element(array, position) for array in pair]
    right = [_same(value, truth, _CLOSE) for value in given]
    if right[0] == right[1]:
        errors = [abs(value - truth) for value in given]
        if any(right) or not np.isfinite(errors).all() or errors[0] == errors[1]:
            return ""
        right = [errors[0] < errors[1], errors[1] < errors[0]]
    wrong = "the plain call" if right[1] else "the other program"
    return f"{who} {truth:.9g}, so that {wrong} is wrong"


def _same(first: float, second: float, share: float) -> bool:
    """Are they one number to that share, one infinity, or both NaN?"""
    if np.isfinite(first) and np.isfinite(second):
        return abs(first - second) <= share * max(abs(first), abs(second))
    return bool(first == second or (np.isnan(first) and np.isnan(second)))


def _widened(case: Case) -> Case | None:
    """The case in a wider format, unless it is told a format itself."""
    told = any("$dtype" in str(node.arguments) for node in case.graph.nodes)
    return None if told else widened_case(case)
