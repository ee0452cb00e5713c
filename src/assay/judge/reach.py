"""How far an entry reaches: does what it leaves open explain the difference at hand?"""

from collections.abc import Sequence

import numpy as np

from assay.ir import REFERENCE, Case, Node, Verdict
from assay.ir.transform import with_parameter, with_values
from assay.judge._base import Observe, Observed
from assay.judge.conventions import Convention
from assay.judge.gradients import given_there
from assay.judge.judgement import Judgement
from assay.judge.registry import shown_again

_INPUT = "gradient:input:"
#: What stands for infinity: any number, or numbers that grow.
_FINITE, _GROWING = (4.0, 0.375), (32.0, 256.0, 2048.0)
#: Slopes are the same if they are apart by no more than this share.
_SAME = 1e-4
_NO_ACTIVATION = (None, "linear")


def of_the_activation(
    entry: Convention, observed: Observed, verdict: Verdict, observe: Observe
) -> bool:
    """Does a difference of a layer's results go away without its activation?

    Then what is left open of its products explains nothing. What is left open of that very
    activation does.
    """
    if "activation" in entry.params:
        return False
    node = next((item for item in observed.case.graph.nodes if item.id == verdict.node), None)
    if verdict.stage != "forward" or node is None or not _activated(node):
        return False
    case = with_parameter(observed.case, node, "activation", None)
    return shown_again(verdict, observe(observed.trial.asking(case)).peers()) is None


def _activated(node: Node) -> bool:
    return node.params.get("activation") not in _NO_ACTIVATION


def of_a_constant_slope(
    entry: Convention, observed: Observed, verdict: Verdict, observe: Observe
) -> Judgement | None:
    """NaN for a slope at infinity that is the same at every number: there it is defined, too.

    Or at every large number, if the function itself has a value at infinity.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    name, truth = where.removeprefix(_INPUT), observed.traces.get(REFERENCE)
    array = observed.case.input_arrays().get(name)
    if entry.inputs != "nonfinite_there" or verdict.kind != "nan" or array is None:
        return None
    if not np.isinf(array[position]):
        return None
    given = truth.outputs().values() if truth is not None else ()
    valued = bool(given) and not any(np.isnan(item).any() for item in given)
    for sizes, when in (
        (_FINITE, "whatever number stands there"),
        (_GROWING, "whatever large number stands there"),
    )[: 1 + valued]:
        cases = []
        for size in sizes:
            changed = array.copy()
            changed[position] = np.copysign(size, array[position])
            cases.append(with_values(observed.case, {name: changed}))
        found = _of_the_same_slope(cases, observed, verdict, observe, when)
        if found is not None:
            return found
    return None


def of_a_slope_besides(observed: Observed, verdict: Verdict, observe: Observe) -> Judgement | None:
    """NaN for a slope that hangs on no infinity: it is the same whatever numbers stand for these.

    The results may be infinite. Where one is NaN, there is no function to have a slope.
    """
    truth = observed.traces.get(REFERENCE)
    floats = {
        name: array
        for name, array in observed.case.input_arrays().items()
        if array.dtype.kind == "f" and not np.isfinite(array).all()
    }
    if verdict.kind != "nan" or not floats or truth is None:
        return None
    if any(np.isnan(item).any() for item in (*floats.values(), *truth.outputs().values())):
        return None
    cases = [
        with_values(
            observed.case,
            {
                name: np.where(np.isinf(array), np.copysign(size, array), array).astype(array.dtype)
                for name, array in floats.items()
            },
        )
        for size in _FINITE
    ]
    reason = "whatever numbers stand for the infinite ones"
    return _of_the_same_slope(cases, observed, verdict, observe, reason)


def _of_the_same_slope(
    cases: Sequence[Case], observed: Observed, verdict: Verdict, observe: Observe, when: str
) -> Judgement | None:
    """Do all give one slope for these cases, which those who give a number here give, too?"""
    where, position = verdict.evidence.where, verdict.evidence.position
    given = given_there(observed, verdict)
    numbers = [value for value in given.values() if np.isfinite(value)]
    wrong = tuple(sorted(name for name, value in given.items() if not np.isfinite(value)))
    if not numbers or not wrong:
        return None
    for case in cases:
        slopes = given_there(observe(observed.trial.asking(case)).peers(), verdict)
        if not slopes.keys() >= given.keys():
            return None
        numbers += slopes.values()
    apart = float(np.ptp(numbers))
    if not np.isfinite(numbers).all() or apart > _SAME * max(map(abs, numbers)):
        return None
    reason = (
        f"{given[wrong[0]]:.9g} at {list(position)} of {where}, where the slope is "
        f"{numbers[0]:.6g} {when}"
    )
    return Judgement("bug", "outside", reason, blamed=wrong)
