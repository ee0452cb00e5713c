"""Ids that name nothing, and what is asked in the place of special values."""

import msgspec
import numpy as np

from assay.ir import Case, Trial
from assay.ir.transform import tamed_case, with_values
from assay.judge._base import Observed
from assay.libraries import everything
from assay.ops.placing import domains_of


def ordinary_trial(observed: Observed, op: str) -> tuple[Trial, str] | None:
    """The trial with ordinary numbers for what a result may be left open for, and for what.

    None if all numbers are ordinary.
    """
    case, trial = observed.case, observed.trial
    tame, known = tamed_case(case), None
    if observed.ids_out_of_range(op):
        known = named_case(tame or case)
    if known is not None:
        named = msgspec.structs.replace(trial.asking(known), classes=())
        return named, "ids that name something"
    return (trial.asking(tame), "ordinary numbers instead of NaN and infinities") if tame else None


def named_case(case: Case) -> Case | None:
    """The case with the nearest id that names something for each that names nothing.

    None if all name something, or nothing is known of which do.
    """
    arrays, changed = case.input_arrays(), {}
    for _, name, domain in domains_of(case, everything()):
        if domain.kind == "ids" and name in arrays and domain.low <= domain.high:
            inside = np.clip(arrays[name], domain.low, domain.high).astype(arrays[name].dtype)
            if not np.array_equal(inside, arrays[name]):
                changed[name] = inside
    return with_values(case, changed) if changed else None
