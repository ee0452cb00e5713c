"""The inputs of a case moved within their last place, so that each one's share shows."""

import msgspec
import numpy as np

from assay.ir import Array, Case, derive
from assay.ir.transform.edit import with_arrays
from assay.ir.transform.formats import spacing
from assay.ir.transform.nudge import nudged_cases

#: Elements that move together, about so many groups of them.
GROUPS = 48
#: Numbers below so many times the smallest normal one become subnormal in a product with
#: ordinary ones, which many processors are told to flush to zero.
_LOST = 2.0**16


class Ball(msgspec.Struct, frozen=True):
    """Copies of a case in float64, for a function that computes in float64.

    ``joint`` has every element nudged at once. ``up`` and ``down`` move one group of elements
    each, by one unit in the last place of the format that the case has; ``size`` is how many
    elements there are. ``flushed`` have zeros for subnormal numbers, and for those that
    ``products`` lose, if some are made; none if there are none.
    """

    joint: tuple[Case, ...]
    up: tuple[Case, ...]
    down: tuple[Case, ...]
    size: int
    flushed: tuple[Case, ...]


def ball_of(case: Case, copies: int, products: bool = True) -> Ball | None:
    """The ball around the inputs of a case; None if no input has floats. Deterministic."""
    arrays = case.input_arrays()
    floats = {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
    size = sum(array.size for array in floats.values())
    if not size:
        return None
    coarse = spacing(case)
    steps = {name: _steps(array, coarse) for name, array in floats.items()}
    wide = {name: array.astype("float64") for name, array in floats.items()}
    groups = _groups([array.size for array in wide.values()])
    return Ball(
        joint=tuple(with_arrays(case, _wide(item)) for item in nudged_cases(case, copies)),
        up=tuple(_moved(case, wide, steps, group, 1.0) for group in groups),
        down=tuple(_moved(case, wide, steps, group, -1.0) for group in groups),
        size=size,
        flushed=_flushed(case, floats, (1.0, _LOST) if products else (1.0,)),
    )


def _groups(sizes: list[int]) -> list[Array]:
    """Elements that move together, by their place among those of all arrays.

    Those of one array only: a number and the mean that is subtracted from it would move alike.
    """
    total = sum(sizes)
    dice = np.random.Generator(np.random.PCG64(derive(total, "ball")))
    groups, start = [], 0
    for size in sizes:
        count = max(1, round(min(total, GROUPS) * size / total))
        groups += np.array_split(start + dice.permutation(size), min(size, count) or 1)
        start += size
    return [group for group in groups if group.size]


def _wide(case: Case) -> dict[str, Array]:
    arrays = case.input_arrays()
    return {n: array.astype("float64") for n, array in arrays.items() if array.dtype.kind == "f"}


def _steps(array: Array, coarse: float) -> Array:
    """One unit in the last place of each element; exact zeros stay."""
    epsilon = max(coarse, float(np.finfo(array.dtype).eps))
    values = np.abs(array.astype("float64"))
    return np.where(np.isfinite(values), epsilon * values, 0.0)


def _moved(
    case: Case, wide: dict[str, Array], steps: dict[str, Array], group: Array, sign: float
) -> Case:
    """One group moved; inside of it the signs alternate, so that they cancel out nowhere.

    Zeros keep their sign.
    """
    signs = np.zeros(sum(array.size for array in wide.values()))
    signs[group] = sign * np.where(np.arange(len(group)) % 2, -1.0, 1.0)
    moved, start = {}, 0
    for name, array in wide.items():
        part = signs[start : start + array.size].reshape(array.shape)
        moved[name] = np.where(steps[name] == 0.0, array, array + part * steps[name])
        start += array.size
    return with_arrays(case, moved)


def _flushed(case: Case, floats: dict[str, Array], factors: tuple[float, ...]) -> tuple[Case, ...]:
    """The case as processors that flush numbers read it, and without what products lose."""
    found: dict[int, Case] = {}
    for factor in factors:
        small = {
            name: (array != 0) & (np.abs(array) < factor * float(np.finfo(array.dtype).tiny))
            for name, array in floats.items()
        }
        count = sum(int(mask.sum()) for mask in small.values())
        if count and count not in found:
            arrays = {
                name: np.where(small[name], 0.0, array.astype("float64"))
                for name, array in floats.items()
            }
            found[count] = with_arrays(case, arrays)
    return tuple(found.values())
