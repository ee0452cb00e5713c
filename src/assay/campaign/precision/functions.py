"""Which operators are functions of one number or two, so that all numbers can be tried."""

from assay.campaign.precision.presets import Operator
from assay.execute import request_for
from assay.libraries import SHARED, everything, translated
from assay.sources.precision import Unsearchable, drawn
from assay_worker.libraries._base import StageFailure
from assay_worker.precision.functions import NoFunction, require, truth_of
from assay_worker.precision.programs import TrueProgram

#: Of pairs of numbers, those of floats of eight bits are tried.
_MOST = 2


def no_function(operator: Operator) -> str:
    """Why not every number of it can be tried, in one line; "" if it can."""
    try:
        call = drawn(everything()[operator.op], operator.wishes, 0)
    except Unsearchable as error:
        return str(error)
    names = tuple(item.name for item in call.tensors)
    inputs = call.case.graph.inputs
    alike = all(item.shape == inputs[0].shape for item in inputs)
    if len(names) != len(inputs) or len(names) > _MOST or not alike:
        return f"{operator.op} is no function of one number or two"
    case = request_for(translated(call.case, SHARED), stage="forward")["case"]
    try:
        # The host has the reference, too; the worker looks again.
        require(truth_of(TrueProgram(case, names, "float64"), names), len(names))
    except NoFunction as error:
        return f"{operator.op} {error}"
    except StageFailure as error:
        return f"{operator.op} is no function of single numbers: {error}"
    return ""
