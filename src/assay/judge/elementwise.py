"""Is a result a function of one element alone? Then no terms cancel out but by its formula."""

import numpy as np

from assay.ir import REFERENCE, Array, Case
from assay.ir.transform import forward_only, with_arrays
from assay.judge._base import Observed, Run

_INPUT = "gradient:input:"
#: By how much elements move for their results to show.
_FAR = 0.125


def of_one_element(observed: Observed, where: str, position: tuple[int, ...], run: Run) -> bool:
    """Does one result hang on this element of the only input with floats, and on no other?

    By the reference; False if it cannot be asked.
    """
    name, arrays = where.removeprefix(_INPUT), observed.case.input_arrays()
    floats = [key for key, array in arrays.items() if array.dtype.kind == "f"]
    if REFERENCE not in observed.traces or floats != [name]:
        return False
    here = np.zeros(arrays[name].shape)
    if len(position) != here.ndim:
        return False
    here[position] = _FAR
    plain = forward_only(observed.case)
    cases = [_moved(plain, name, move) for move in (0.0 * here, here, _FAR - here)]
    traces = run(cases, REFERENCE)
    if len(traces) < len(cases) or any(len(trace.outputs()) != 1 for trace in traces):
        return False
    base, alone, others = (next(iter(trace.outputs().values())) for trace in traces)
    if not base.shape == alone.shape == others.shape:
        return False
    hanging = base != alone
    return int(np.count_nonzero(hanging)) == 1 and bool((base[hanging] == others[hanging]).all())


def _moved(case: Case, name: str, move: Array) -> Case:
    return with_arrays(case, {name: case.input_arrays()[name].astype("float64") + move})
