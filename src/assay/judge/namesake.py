"""NumPy's function of an API's name: an opinion of somebody else, where two programs disagree.

Nothing promises that it means the same. Whose answer it confirms is more likely to be right all
the same: the other program would have to be right by another definition that only it follows.
"""

from typing import Any

import numpy as np

from assay.ir import Array, Case
from assay_worker.calls import parted

#: Where NumPy keeps functions that libraries have under the same last name.
_PLACES = (np, np.linalg, np.fft)
#: Called as NumPy's, and known to mean something else.
_OTHERWISE = frozenset({"std", "var", "median", "quantile", "histogram", "unique", "sort", "split"})


def namesake_answer(case: Case) -> Array | None:
    """What NumPy gives in the inputs' own format; None if it has no such function, or refuses."""
    if len(case.graph.nodes) != 1:
        return None
    (node,) = case.graph.nodes
    name = node.op.rpartition(".")[2]
    found = (getattr(place, name, None) for place in _PLACES)
    function = next((item for item in found if callable(item)), None)
    if function is None or name in _OTHERWISE or node.params:
        return None
    arrays = case.input_arrays()
    positional, keywords = parted(node.arguments)
    told = [*({"$tensor": item} for item in node.inputs), *positional]
    if keywords or not all(_simple(item) for item in told):
        return None
    values = [arrays[v["$tensor"]] if isinstance(v, dict) else v for v in told]
    try:
        with np.errstate(all="ignore"):
            answer = np.asarray(function(*values))
    except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
        return None  # it is called in another way
    return answer if answer.dtype.kind in "fciub" else None


def _simple(value: Any) -> bool:
    """A tensor or a plain number: what is told by its place in NumPy, too."""
    if isinstance(value, dict):
        return isinstance(value.get("$tensor"), str)
    return isinstance(value, (int, float))
