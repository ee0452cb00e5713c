"""Is there a derivative? Where there is none, a gradient of NaN is nobody's fault."""

from collections.abc import Sequence

import numpy as np

from assay.ir import Array, Case
from assay.ir.transform import stepped_cases

#: How far to the left and right (a jump is steeper the closer one looks), and by which share
#: slopes may differ.
_STEPS = (-(2.0**-10), -(2.0**-14), 0.0, 2.0**-14, 2.0**-10)
_APART = 0.1
_INPUT = "gradient:input:"


def beside(case: Case, where: str, position: tuple[int, ...]) -> tuple[Case, ...]:
    """The case with one element of an input somewhat less, as it is, and more, for its loss.

    Nothing if the gradient is not of an input, or the loss is not a sum of products.
    """
    name = where.removeprefix(_INPUT)
    return () if name == where else stepped_cases(case, name, position, _STEPS)


def sides(case: Case, where: str, position: tuple[int, ...]) -> tuple[Case, ...]:
    """The case with one element of an input somewhat less, and more, for its gradient.

    By a share of the element: of a huge one, a fixed step would be lost. Nothing as above.
    """
    name = where.removeprefix(_INPUT)
    if name == where:
        return ()
    here = abs(float(case.input_arrays()[name][position]))
    steps = [share * max(1.0, here) for share in (_STEPS[0], _STEPS[-1])]
    return stepped_cases(case, name, position, steps, "gradient")


def smooth(losses: Sequence[Array]) -> bool:
    """Are the slopes to the left and to the right the same? Of what ``beside`` gives."""
    values = np.array([float(loss) for loss in losses])
    if not np.isfinite(values).all():
        return False
    here = _STEPS.index(0.0)
    slopes = [
        (value - values[here]) / step for value, step in zip(values, _STEPS, strict=True) if step
    ]
    return bool(max(slopes) - min(slopes) <= _APART * max(1.0, *map(abs, slopes)))
