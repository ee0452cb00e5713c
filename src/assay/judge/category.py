"""What a confirmed disagreement is: bug, convention, rounding, unsupported or flaky.

See ``judgement`` for the rules; which one decided is part of the evidence.
"""

import msgspec
import numpy as np

from assay.ir import REFERENCE, Verdict
from assay.ir.transform import flushed_case, moderated_case, nudged_cases, tamed_case
from assay.judge._base import Observe, Observed, Run
from assay.judge.admissible import NUDGES, whole_numbers
from assay.judge.compare import difference
from assay.judge.conventions import recognise_convention, undocumented
from assay.judge.equivalent import NAME as EQUIVALENCE
from assay.judge.flushing import agree_there, flushed_there
from assay.judge.forward import by_region
from assay.judge.gradients import not_a_number, numbers, where_finite
from assay.judge.harmless import harmless
from assay.judge.ids import ordinary_trial
from assay.judge.integers import does_not_fit
from assay.judge.intermediates import leaves_the_format
from assay.judge.judgement import Judgement, Rule
from assay.judge.numpy_vote import numpy_decides
from assay.judge.reach import (
    of_a_constant_slope,
    of_a_slope_besides,
    of_the_activation,
)
from assay.judge.refusing import accident, refuses, states_a_requirement
from assay.judge.registry import oracle, shown_again
from assay.judge.rewriting import rewrites
from assay.judge.rewritten import judged_pair
from assay.judge.rounding import half_noise, product_noise, sensitivity
from assay.judge.states import state_leaves_the_range
from assay.judge.support import Support, support
from assay.judge.unstable import SHARED, shared_formula, unstable

#: Re-runs that must show a disagreement again. A death costs a worker each time, and
#: is seldom an accident.
ATTEMPTS = 2
_NUMBERS = ("nan", "inconsistency")
#: Rules that leave something open, perhaps for special values only.
_LEFT_OPEN = ("entry", "undocumented", "undefined")
#: Rules that leave open which slope is meant.
_OPEN_SLOPES = ("undefined", "branch")
_ATTEMPTS_TO_DIE = 1


def attempts_for(verdict: Verdict) -> int:
    """How many re-runs a verdict of this kind is given."""
    return _ATTEMPTS_TO_DIE if verdict.kind == "crash" else ATTEMPTS


def categorised(
    observed: Observed,
    verdict: Verdict,
    observe: Observe,
    run: Run,
    confirmations: int = ATTEMPTS,
    own: bool = True,
) -> Verdict:
    """The verdict with its category, the rule and reason for it, and whom that blames.

    ``own`` is False where the node alone does not show it.
    """
    if rewrites(verdict.oracle):
        return _as_told(_pair(observed, verdict, observe, confirmations), verdict, confirmations)
    observed = observed.peers()
    found = _with_numpy(_judged(observed, verdict, observe, run, confirmations), observed, verdict)
    category, reason, rule = found.category, found.reason, found.rule
    blamed = verdict.blamed if found.blamed is None else found.blamed
    kind = found.kind or verdict.kind
    if category in ("bug", "undecided", "convention") and not own and not _fused(observed, verdict):
        category, reason, rule = "flaky", "no node alone, on the same inputs, shows it", "again"
    seen = verdict.kind in _NUMBERS
    alone = verdict.evidence.reference_alone
    if category == "bug" and seen and not blamed and not alone:
        category = "undecided"  # somebody is wrong; without a truth there is no claim to make
    message = verdict.evidence.message
    if category == "bug" and alone and found.blamed is None:
        supported = support(observed, verdict, run) or _with_ordinary(
            observed, verdict, observe, run
        )
        # What our own reference disputes is no bug, unless something speaks for it.
        category = "bug" if supported else verdict.category
        rule = "votes" if supported else "reference"
        if supported:
            reason, blamed = supported.reason, supported.blamed
            message = _shapes(observed, verdict)
    believed = verdict.evidence.believed
    if found.blamed is not None and set(blamed) != set(verdict.blamed):
        believed = tuple(target for target in verdict.targets if target not in blamed)
    evidence = msgspec.structs.replace(
        verdict.evidence,
        reason=reason,
        message=message,
        confirmations=confirmations,
        attempts=attempts_for(verdict),
        believed=believed,
        rule=rule,
        admissible=found.admissible,
        symptom=verdict.kind if kind != verdict.kind else None,
        voted=verdict.blamed if blamed != verdict.blamed else None,
    )
    return msgspec.structs.replace(
        verdict,
        kind=kind,
        category=category,
        blamed=blamed,
        evidence=evidence,
        recognised=found.entry,
    )


def _with_ordinary(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run
) -> Support | None:
    """What speaks for the reference with ordinary numbers in place of special ones."""
    ordinary = ordinary_trial(observed, verdict.op)
    if ordinary is None:
        return None
    seen = observe(ordinary[0]).peers()
    again = _alike(verdict, seen)
    if again is None or again.kind != verdict.kind or not again.evidence.reference_alone:
        return None
    if _by_numbers(seen, again, observe, run).category != "bug":
        return None
    found = support(seen, again, run)
    reason = found and f"also with {ordinary[1]}: {found.reason}"
    return found and msgspec.structs.replace(found, reason=reason)


def _pair(observed: Observed, verdict: Verdict, observe: Observe, confirmations: int) -> Judgement:
    if confirmations == 0:
        return Judgement("flaky", "again", "it could not be reproduced")
    return judged_pair(observed, verdict, observe)


def _as_told(found: Judgement, verdict: Verdict, confirmations: int) -> Verdict:
    """The verdict with what a judgement says of it, and nothing else."""
    evidence = msgspec.structs.replace(
        verdict.evidence,
        reason=found.reason,
        confirmations=confirmations,
        attempts=attempts_for(verdict),
        rule=found.rule,
        admissible=found.admissible,
    )
    return msgspec.structs.replace(verdict, category=found.category, evidence=evidence)


def _with_numpy(found: Judgement, observed: Observed, verdict: Verdict) -> Judgement:
    """As NumPy has it, where documentation promises its semantics and the votes do not say so.

    What is left open, is rounding or was not seen again is no matter of votes.
    """
    settled = found.category not in ("bug", "undecided") or found.rule == "unstable"
    wrong = () if settled else numpy_decides(observed, verdict)
    blamed = verdict.blamed if found.blamed is None else found.blamed
    if not wrong or set(wrong) == set(blamed):
        return found
    reason = f"{', '.join(wrong)} contradict NumPy, whose semantics the documentation promises"
    return msgspec.structs.replace(found, category="bug", reason=reason, blamed=wrong)


def _fused(observed: Observed, verdict: Verdict) -> bool:
    """Do all who are blamed compile several nodes as one? Then it may take several."""
    return bool(verdict.blamed) and observed.fusing.issuperset(verdict.blamed)


def _judged(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run, confirmations: int
) -> Judgement:
    reason = verdict.evidence.reason
    if confirmations == 0:
        return Judgement("flaky", "again", "it could not be reproduced")
    silent = undocumented(observed.traces.get(REFERENCE))
    accidents = verdict.kind == "error" and not _on_purpose(observed, verdict)
    if (
        verdict.kind in ("error", "validation")
        and verdict.category == "bug"
        and silent
        and not accidents
    ):
        return Judgement("unsupported", "undocumented", f"refused, and {silent}")
    if verdict.kind == "validation" and verdict.category == "bug":
        why = harmless(observed, verdict, run)
        if why:
            return Judgement("unsupported", "harmless", f"{reason}, but {why}")
    if verdict.oracle == EQUIVALENCE and _moves_as_much(observed, verdict, run):
        return Judgement("rounding", "inside", "one ULP of input moves the result as much")
    if verdict.kind not in _NUMBERS:
        return Judgement(verdict.category, _rule_of(verdict), reason, verdict.recognised)
    return _numeric(observed, verdict, observe, run)


def _on_purpose(observed: Observed, verdict: Verdict) -> bool:
    """Does somebody who is blamed say what numbers have to be, or that it cannot do this?

    That a result is open is no reason to fail of something that nobody asked for.
    """
    failures = [observed.traces[name].failure for name in verdict.blamed if name in observed.traces]
    return any(
        item and (refuses(item) or states_a_requirement(item)) and not accident(item, verdict.op)
        for item in failures
    )


def _rule_of(verdict: Verdict) -> Rule:
    """The rule of an oracle that judged by itself."""
    if verdict.recognised:
        return "entry"
    if verdict.category == "unsupported":
        return "refusal"
    return "accepted" if verdict.kind == "validation" else "votes"


def _moves_as_much(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Does a nudge move the first program's result as much as equivalent programs differ?"""
    where, position = verdict.evidence.where, verdict.evidence.position
    for target in verdict.blamed or verdict.targets:
        base = observed.traces[target].arrays.get(where) if target in observed.traces else None
        if base is None or base.dtype.kind != "f" or len(position) != base.ndim:
            continue
        traces = run(nudged_cases(observed.case, NUDGES), target)
        moved = [trace.arrays[where] for trace in traces if where in trace.arrays]
        if moved:
            return sensitivity(base, moved).explains(verdict.magnitude, position)
    return False


def _numeric(observed: Observed, verdict: Verdict, observe: Observe, run: Run) -> Judgement:
    """By what the numbers are; what special values are left open for, by ordinary ones, too."""
    found = _by_numbers(observed, verdict, observe, run)
    if found.category == "convention" and found.rule in _OPEN_SLOPES:
        found = flushed_there(observed, verdict, observe, run) or found
    if found.rule not in _LEFT_OPEN:
        return found
    ordinary = ordinary_trial(observed, verdict.op)
    if ordinary is None:
        return found
    seen = observe(ordinary[0]).peers()
    again = _alike(verdict, seen)
    plain = None if again is None else _by_numbers(seen, again, observe, run)
    closed = plain is not None and (
        plain.category == "bug" or (plain.category == "rounding" and found.rule == "undefined")
    )
    if plain is None or not closed:
        return found
    reason = f"also with {ordinary[1]}: {plain.reason}"
    return msgspec.structs.replace(plain, reason=reason)


def _alike(verdict: Verdict, seen: Observed) -> Verdict | None:
    """The verdict again, on a case with other numbers; those may make NaN of a wrong number."""
    again = shown_again(verdict, seen)
    if again is not None:
        return again
    mine = (verdict.op, verdict.stage, {*verdict.blamed})
    for other in oracle(verdict.oracle).judge(seen):
        if other.kind in _NUMBERS and (other.op, other.stage, {*other.blamed}) == mine:
            return other
    return None


def _by_numbers(observed: Observed, verdict: Verdict, observe: Observe, run: Run) -> Judgement:
    convention = recognise_convention(verdict, observed)
    if convention is not None:
        constant = of_a_constant_slope(convention, observed, verdict, observe)
        if constant is not None:
            return constant
    if convention is not None and not of_the_activation(convention, observed, verdict, observe):
        return Judgement("convention", "entry", convention.reason, convention.id)
    if _shapes_differ(observed, verdict.evidence.where):
        return Judgement("bug", "shape", verdict.evidence.reason)
    silent = undocumented(observed.traces.get(REFERENCE))
    if silent:
        alike = verdict.stage == "gradient" and _same_results(observed)
        inside = _gradient(observed, verdict, observe, run) if alike else None
        if inside is not None and inside.category == "rounding":
            return inside
        return Judgement("convention", "undocumented", silent)
    if verdict.stage == "gradient" and not _finite_outputs(observed):
        apart = where_finite(observed, verdict, run)
        apart = apart or of_a_slope_besides(observed, verdict, observe)
        if apart is not None:
            return apart
        moderate = moderated_case(observed.case)
        if moderate is not None:
            seen = observe(observed.trial.asking(moderate)).peers()
            if _alike(verdict, seen) is None:
                return _at_zero(observed, verdict, observe, run) or _only_extreme()
        reason = "the result itself is not finite, and so has no derivative"
        return Judgement("convention", "undefined", reason)
    judge = _gradient if verdict.stage == "gradient" else _result
    found = judge(observed, verdict, observe, run)
    if found is None:
        found = Judgement("bug", "outside", verdict.evidence.reason)
    if found.category != "bug":
        return found
    if whole_numbers(observed, verdict.evidence.where):
        return does_not_fit(observed, verdict, run) or found
    accused = msgspec.structs.replace(verdict, blamed=found.blamed or verdict.blamed)
    if found.rule == "outside" and unstable(observed, accused, observe, run):
        return msgspec.structs.replace(found, rule="unstable", kind="precision")
    return found


def _gradient(observed: Observed, verdict: Verdict, observe: Observe, run: Run) -> Judgement | None:
    if verdict.kind == "nan" and _overflows(observed, verdict):
        return _too_large()
    if verdict.kind == "nan" and REFERENCE in observed.traces:
        found = not_a_number(observed, verdict, run)
        if found is not None:
            return found
    moderate = moderated_case(observed.case)
    if moderate is not None:
        seen = observe(observed.trial.asking(moderate)).peers()
        again = _alike(verdict, seen)
        if again is None:
            found = _at_zero(observed, verdict, observe, run)
            return found or _large_but_held(observed, verdict, run) or _only_extreme()
        # Judged by moderate numbers, whose rounding is known; told by the original ones.
        observed, verdict = seen, again
    judge = not_a_number if verdict.kind == "nan" else numbers
    return judge(observed, verdict, run)


def _large_but_held(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """The bug beside a derivative that is known, where no number is lost by flushing.

    That it shows with large numbers only is no excuse for a formula: the slope fits.
    """
    if verdict.kind == "nan" or flushed_case(observed.case) is not None:
        return None
    found = numbers(observed, verdict, run)
    return found if found is not None and found.category == "bug" else None


def _at_zero(observed: Observed, verdict: Verdict, observe: Observe, run: Run) -> Judgement | None:
    """The bug that zeros show, where subnormal numbers may be flushed to them.

    Where all give the same at zero it is none of this difference, whoever is right there.
    """
    zeros = flushed_case(observed.case)
    if zeros is None:
        return None
    seen = observe(observed.trial.asking(tamed_case(zeros) or zeros)).peers()
    again = None if agree_there(seen, verdict) else _alike(verdict, seen)
    judge = not_a_number if verdict.kind == "nan" else numbers
    found = judge(seen, again, run) if again is not None else None
    return found if found is not None and found.category == "bug" else None


def _result(observed: Observed, verdict: Verdict, observe: Observe, run: Run) -> Judgement | None:
    evidence = verdict.evidence
    if verdict.kind == "nan" and _overflows(observed, verdict):
        return _too_large()
    reference = observed.traces.get(REFERENCE)
    known = reference is not None and evidence.where in reference.arrays
    found = by_region(observed, verdict, run) if known else None
    if found is not None and found.category != "bug":
        return found
    if known and whole_numbers(observed, evidence.where):
        return found  # they do not round, and those of the largest size are as exact
    noise = 0.0
    if reference is not None and known:
        terms = found.admissible.terms if found is not None and found.admissible else None
        noise = half_noise(observed.case, reference.arrays[evidence.where], terms)
    if evidence.reference_alone and found is None:
        if known and verdict.magnitude > noise:
            shared = shared_formula(observed, verdict, observe, run)
            if shared and state_leaves_the_range(observed, verdict):
                reason = "with numbers that have no square in the format, its state does not fit"
                return Judgement("rounding", "overflow", reason)
            defined = leaves_the_format(observed, verdict, run) if shared else None
            if defined is not None:
                reason = f"{defined.reason}, and that does not fit the format"
                return Judgement("rounding", "overflow", reason, defined.id)
            if shared:
                return Judgement("bug", "unstable", SHARED, kind="precision", blamed=shared)
        noise = max(noise, product_noise(observed.case) if _agreed(verdict, known) else 0.0)
    if verdict.magnitude <= noise:
        reason = f"{verdict.magnitude:.3g} apart: products of the numbers that go in round by "
        return Judgement("rounding", "inside", f"{reason}as much as {noise:.3g}")
    if known and (found is not None or not evidence.reference_alone):
        return found
    # Nobody whose answer is the truth: huge and tiny numbers may be beyond everybody.
    moderate = moderated_case(observed.case)
    if moderate is not None:
        seen = observe(observed.trial.asking(moderate)).peers()
        again = _alike(verdict, seen)
        if again is None:
            return _only_extreme()
        observed, verdict = seen, again
    return None if known else by_region(observed, verdict, run)


def _agreed(verdict: Verdict, known: bool) -> bool:
    """Do all targets agree, or is the reference's answer missing? What it says bounds rounding.

    Who contradicts the reference and the others is not excused by what products could lose.
    """
    split = verdict.category == "undecided" or bool(verdict.blamed)
    return not split or not known


def _too_large() -> Judgement:
    reason = "the result is too large for the format: infinity or NaN"
    return Judgement("rounding", "overflow", reason)


def _only_extreme() -> Judgement:
    reason = "it shows only with numbers too large or small for the format"
    return Judgement("rounding", "moderate", reason)


def _finite_outputs(observed: Observed) -> bool:
    return all(
        np.isfinite(array).all()
        for target, trace in observed.traces.items()
        if target != REFERENCE  # float64 holds what overflows elsewhere
        for array in trace.outputs().values()
        if array.dtype.kind in "fc"
    )


def _same_results(observed: Observed) -> bool:
    """Do all libraries give the same results? Then what is left open may be no matter."""
    given = [trace.outputs() for name, trace in observed.traces.items() if name != REFERENCE]
    first, *others = given or [{}]
    return bool(first) and all(
        other.keys() == first.keys()
        and all(difference(array, other[name]) is None for name, array in first.items())
        for other in others
    )


def _overflows(observed: Observed, verdict: Verdict) -> bool:
    """Is the true result a number that no arm's format holds?"""
    where, position = verdict.evidence.where, verdict.evidence.position
    truth = observed.traces[REFERENCE].arrays.get(where) if REFERENCE in observed.traces else None
    answers = [
        trace.arrays[where]
        for target, trace in observed.traces.items()
        if target != REFERENCE and where in trace.arrays
    ]
    if truth is None or any(np.isfinite(answer[position]) for answer in answers):
        return False
    floats = [answer.dtype for answer in answers if answer.dtype.kind == "f"]
    largest = max((float(np.finfo(dtype).max) for dtype in floats), default=np.inf)
    value = float(np.real(truth[position]))
    # Infinity of finite numbers is too large for double precision, too: NaN is as good.
    return abs(value) > largest and (bool(np.isfinite(value)) or _finite_inputs(observed))


def _finite_inputs(observed: Observed) -> bool:
    arrays = observed.case.input_arrays().values()
    return all(np.isfinite(array).all() for array in arrays if array.dtype.kind in "fc")


def _shapes_differ(observed: Observed, array: str) -> bool:
    holders = [trace for trace in observed.traces.values() if array in trace.arrays]
    return len({trace.arrays[array].shape for trace in holders}) > 1


def _shapes(observed: Observed, verdict: Verdict) -> str:
    """The message of a difference in shape when the reference is believed."""
    if not verdict.evidence.message:
        return ""
    where = verdict.evidence.where
    right = observed.traces[REFERENCE].arrays[where].shape
    wrong = next(
        trace.arrays[where].shape
        for target, trace in observed.traces.items()
        if target != REFERENCE and where in trace.arrays and trace.arrays[where].shape != right
    )
    return f"shape {list(wrong)} where the reference has {list(right)}"
