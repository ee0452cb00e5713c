"""Huge and tiny numbers of a case made moderate."""

import numpy as np

from assay.ir import Array, Case, Dot, Explicit
from assay.ir.transform.edit import with_upstream, with_values

#: What stands for huge numbers and infinities, and for NaN.
_FOR_HUGE, _FOR_NAN = 4.0, 0.375


def flushed_case(case: Case) -> Case | None:
    """The case as processors read it that flush subnormal numbers to zero; None without any."""
    arrays = {
        name: np.where(np.abs(array) < np.finfo(array.dtype).tiny, array.dtype.type(0), array)
        for name, array in case.input_arrays().items()
        if array.dtype.kind == "f"
        and ((array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny)).any()
    }
    return with_values(case, arrays) if arrays else None


def tamed_case(case: Case) -> Case | None:
    """The case with moderate numbers also for NaN and infinities; None if it has none of those.

    What shows with them, too, is no matter of special values.
    """
    arrays = {
        name: _tamed(array)
        for name, array in case.input_arrays().items()
        if array.dtype.kind in "fc" and not np.isfinite(array).all()
    }
    if not arrays:
        return None
    tame = with_values(case, arrays)
    return moderated_case(tame) or tame


def shrunk_case(case: Case) -> Case:
    """The case with numbers 256 times smaller: what leaves the format by their size stays in."""
    return with_values(
        case,
        {
            name: np.asarray((array / 256).astype(array.dtype))
            for name, array in case.input_arrays().items()
            if array.dtype.kind in "fc"
        },
    )


def _tamed(array: Array) -> Array:
    if array.dtype.kind == "c":
        tame = _tamed(array.real) + 1j * _tamed(array.imag)
        return np.asarray(tame.astype(array.dtype))
    moderate = np.where(np.isnan(array), _FOR_NAN, np.copysign(_FOR_HUGE, array))
    return np.asarray(np.where(np.isfinite(array), array, moderate).astype(array.dtype))


def moderated_case(case: Case) -> Case | None:
    """The case with huge and tiny elements made moderate; None if there are none.

    A disagreement that goes away with them is an overflow or underflow inside, or
    an ordinary number lost beside a large one: in a wider format the arms would
    agree. Upstream gradients count as inputs.
    """
    arrays = {
        name: moderate
        for name, array in case.input_arrays().items()
        if (moderate := _moderated(array)) is not None
    }
    changed = with_values(case, arrays) if arrays else None
    if isinstance(case.loss, Dot):
        upstream = tuple(
            Explicit(moderate)
            if isinstance(recipe, Explicit) and (moderate := _moderated(recipe.array)) is not None
            else recipe
            for recipe in case.loss.upstream
        )
        if any(new is not old for new, old in zip(upstream, case.loss.upstream, strict=True)):
            changed = with_upstream(changed or case, upstream)
    return changed


def exact_case(case: Case, dtype: np.dtype) -> Case | None:
    """The case with moderate numbers for whole ones that a format of floats does not hold.

    None if it holds all of them.
    """
    largest = 1.0 / float(np.finfo(dtype).eps)
    arrays = {}
    for name, array in case.input_arrays().items():
        if array.dtype.kind in "iu" and (far := np.abs(array.astype("float64")) > largest).any():
            moderate = np.where(array < 0, -_FOR_HUGE, _FOR_HUGE).astype(array.dtype)
            arrays[name] = np.asarray(np.where(far, moderate, array))
    return with_values(case, arrays) if arrays else None


def _moderated(array: Array) -> Array | None:
    if array.dtype.kind == "c":
        parts = [_moderated(part) for part in (array.real, array.imag)]
        if all(part is None for part in parts):
            return None
        made = array.copy()
        made.real, made.imag = (
            own if part is None else part
            for own, part in zip((array.real, array.imag), parts, strict=True)
        )
        return made
    if array.dtype.kind != "f" or array.size == 0:
        return None
    size = np.abs(array.astype("float64"))
    info = np.finfo(array.dtype)
    largest = min(float(info.max) ** 0.25, 1.0 / float(info.eps))
    huge = np.isfinite(size) & (size > largest)
    tiny = (size > 0) & (size < float(info.tiny) ** 0.25)
    if not (huge.any() or tiny.any()):
        return None
    moderate = np.where(huge, _FOR_HUGE, 0.25) * np.sign(array.astype("float64"))
    return np.asarray(np.where(huge | tiny, moderate, array).astype(array.dtype))
