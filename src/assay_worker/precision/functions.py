"""Functions of single numbers: which calls are any, and where their truth is known."""

import numpy as np

from assay_worker.libraries._base import StageFailure

#: In no order, so that what sorts shows; of domains that begin at 0, at 1 and at -1.
_FEW = ((0.5, 0.25, 0.75), (1.75, 1.25, 1.5), (-0.5, -1.25, -0.25), (3.0, 0.5, -2.0))


class Unknown(Exception):
    """Of some of these numbers nobody says what the function gives."""


class NoFunction(Exception):
    """The call is no function of single numbers; the message says what it is."""


def few(count):
    """Some ordinary numbers for each of the arguments."""
    return tuple(np.roll(_FEW[0], place) for place in range(count))


def truth_of(program, names):
    """The reference of a call as a function of an array for each name; it raises ``Unknown``."""
    # It takes SciPy, which not every interpreter has.
    from assay_worker.reference.registry import Unsupported

    def truth(*arrays):
        try:
            return single(program(dict(zip(names, arrays))), arrays[0]).astype("float64")
        except StageFailure as failure:
            if isinstance(failure.original, Unsupported):
                raise Unknown(str(failure)) from failure
            raise

    return truth


def single(outputs, x):
    """The only output, if it has the shape of the input."""
    if len(outputs) != 1 or np.shape(outputs[0]) != x.shape:
        raise NoFunction("is no function of single numbers")
    return np.asarray(outputs[0])


def require(truth, count):
    """``NoFunction`` if a result hangs on numbers at other places, or no truth is known."""
    reason, known = "", False
    for numbers in _FEW:
        arrays = tuple(np.roll(numbers, place) for place in range(count))
        try:
            together = truth(*arrays)
            alone = [truth(*(array[one : one + 1] for array in arrays)) for one in range(3)]
        except Unknown as error:
            reason = str(error)
            continue
        alone = np.concatenate(alone)
        if not np.all((together == alone) | ((together != together) & (alone != alone))):
            raise NoFunction("is no function of each number by itself")
        known = True
    if not known:
        raise NoFunction("has no truth at ordinary numbers: %s" % reason)


def known_truths(truth, arrays, ordered):
    """The truths of some numbers, NaN where they are not known; and where they are.

    ``ordered``: numbers ascend, so that where nothing is known at both ends and in the middle,
    nothing is between them.
    """
    size = arrays[0].size
    truths, known = np.full(size, np.nan), np.zeros(size, dtype=bool)
    left = [(0, size)]
    while left:
        start, stop = left.pop()
        if _put(truth, arrays, truths, known, start, stop) or stop - start <= 1:
            continue
        middle = (start + stop) // 2
        if ordered and not any(
            _put(truth, arrays, truths, known, place, place + 1)
            for place in (start, middle, stop - 1)
        ):
            continue
        left += [(start, middle), (middle, stop)]
    return truths, known


def _put(truth, arrays, truths, known, start, stop):
    """Put in what is known from one place to another: all of it, or nothing."""
    try:
        truths[start:stop] = truth(*(array[start:stop] for array in arrays))
    except Unknown:
        return False
    known[start:stop] = True
    return True
