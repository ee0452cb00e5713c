"""NumPy as an implementation with a vote, where documentation promises its semantics.

``keras.ops`` "contains an implementation of the NumPy API" (https://keras.io/api/ops/numpy/): a
function there that is called as one of NumPy's means what NumPy's does. NumPy itself is asked, in
float64, not Keras' backend of that name.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from assay.gaps import in_parts
from assay.ir import REFERENCE, Array, Case, Verdict, is_tensor
from assay.judge._base import Observed
from assay.judge.compare import coarseness, difference

_PROMISED = "keras.ops."
#: Called as NumPy's, and documented to mean something else, or to leave it to the backend.
_OTHERWISE = frozenset({"unique", "histogram", "vectorize", "convolve", "round", "nan_to_num"})
#: What these give is a matter of the format.
_OF_THE_FORMAT = frozenset({"nextafter", "spacing"})
NAME = "NumPy"


#: What NumPy raises where a value means nothing to it; whoever is called amiss raises TypeError.
_REFUSED = (ValueError, IndexError, np.exceptions.AxisError)


def numpy_answer(case: Case) -> Array | None:
    """What NumPy gives for a case of one call, in float64; None if it has no opinion."""
    call = _call(case, wide=True)
    if call is None:
        return None
    try:
        with np.errstate(all="ignore"):
            answer = call()
    except (*_REFUSED, TypeError, AttributeError):
        return None  # refused: no vote, since what is compared here was given by others
    if not isinstance(answer, (np.ndarray, np.generic)):
        return None  # several arrays: stacked, they would be what nobody has to give
    answer = np.asarray(answer)
    return answer if answer.dtype.kind in "fciub" else None


def numpy_refuses(case: Case) -> bool:
    """Does NumPy, whose semantics are promised, say that the call means nothing?"""
    call = _call(case, wide=False, linear=True)
    try:
        with np.errstate(all="ignore"):
            if call is not None:
                call()
    except np.linalg.LinAlgError:
        return False  # of the numbers, not of the call
    except _REFUSED:
        return True
    except (TypeError, AttributeError):
        return False
    return False


def _call(case: Case, wide: bool, linear: bool = False) -> Callable[[], Any] | None:
    """NumPy's function of that name on the inputs of a case of one call; None if it has none.

    With those of ``numpy.linalg``, if ``linear``: what they give is told by the reference.
    """
    if len(case.graph.nodes) != 1:
        return None
    (node,) = case.graph.nodes
    name = node.op.removeprefix(_PROMISED)
    function = getattr(np, name, getattr(np.linalg, name, None) if linear else None)
    if name == node.op or name in _OTHERWISE | _OF_THE_FORMAT or not callable(function):
        return None
    arrays = case.input_arrays()
    if wide:
        arrays = {key: _wide(array) for key, array in arrays.items()}

    def told(value: Any) -> Any:
        if is_tensor(value):
            return arrays[value["$tensor"]]
        return tuple(map(told, value)) if isinstance(value, list) else value

    positional = [
        arrays[item] if isinstance(item, str) else tuple(arrays[tensor] for tensor in item)
        for item in node.inputs
    ]
    keywords = {key: told(value) for key, value in {**node.params, **node.arguments}.items()}
    if not _takes(function, keywords):
        return None
    if function in (np.dot, np.inner) and not all(np.ndim(item) for item in positional):
        function = np.multiply  # as documented; BLAS makes 0 of NaN times 0
    return partial(function, *positional, **keywords)


def numpy_decides(observed: Observed, verdict: Verdict) -> tuple[str, ...]:
    """Who contradicts NumPy, where somebody agrees with it or nobody is believed; else nobody."""
    if verdict.stage != "forward" or verdict.kind not in ("nan", "inconsistency"):
        return ()
    answer = numpy_answer(observed.case)
    where = verdict.evidence.where
    if answer is None or where.count(":") != 1:  # one of several outputs
        return ()
    given = {
        target: observed.traces[target].arrays[where]
        for target in verdict.targets
        if target != REFERENCE and target in observed.traces
        if where in observed.traces[target].arrays
    }
    if answer.dtype.kind in "iu" and all(array.dtype != answer.dtype for array in given.values()):
        return ()  # Keras says of some (int8 by int8 is int32) that they give another type
    if any(_rounded(observed.case, array) for array in given.values()):
        return ()  # whole numbers that do not fit the format are rounded before anything else
    wrong = [name for name, array in given.items() if _differs(answer, array, observed.case)]
    return tuple(sorted(wrong))


def _rounded(case: Case, answer: Array) -> bool:
    """Has the answer a format of floats that does not hold the whole numbers that go in?"""
    whole = [array for array in case.input_arrays().values() if array.dtype.kind in "iu"]
    return answer.dtype.kind == "f" and not all(
        np.array_equal(array.astype(answer.dtype).astype("float64"), array.astype("float64"))
        for array in whole
    )


def _differs(answer: Array, array: Array, case: Case) -> bool:
    if array.dtype.kind == "f" and answer.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            answer = answer.astype(array.dtype)
    if "c" in answer.dtype.kind + array.dtype.kind:
        answer, array = (in_parts(item.astype("complex128")) for item in (answer, array))
    return difference(answer, array, coarseness(case)) is not None


def _wide(array: Array) -> Array:
    return array.astype("float64") if array.dtype.kind == "f" else array


def _takes(function: Any, keywords: dict[str, Any]) -> bool:
    """Does NumPy know every parameter by that name? ufuncs and built-ins show no signature."""
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return not keywords
    open_ended = any(item.kind is item.VAR_KEYWORD for item in known.values())
    return open_ended or all(name in known for name in keywords)
