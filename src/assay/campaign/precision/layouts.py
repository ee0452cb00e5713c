"""Where channels are: an operator once for each layout of the data that is asked for."""

from collections.abc import Callable, Sequence

import msgspec

from assay.campaign.precision.presets import Operator
from assay.errors import AssayError
from assay.libraries import everything
from assay.ops import Shape
from assay.sources.precision import default_shape
from assay.suggest import unknown

LAYOUTS = ("channels_first", "channels_last")
_PARAMETER = "data_format"

#: Why an operator cannot be measured; "" if it can.
Unfit = Callable[[Operator], str]


def layouts(names: Sequence[str]) -> tuple[str, ...]:
    """The layouts of an option; ``AssayError`` for others."""
    for name in names:
        if name not in (*LAYOUTS, "both"):
            raise AssayError(unknown("format", name, (*LAYOUTS, "both")))
    return LAYOUTS if "both" in names else tuple(dict.fromkeys(names))


def laid_out(
    operators: Sequence[Operator], chosen: Sequence[str], keep: bool, unfit: Unfit
) -> tuple[tuple[Operator, ...], int]:
    """Those that take a layout, once for each; and how many were left out.

    With ``keep`` the others stay as they are. Shapes are told with channels last: they move.
    ``AssayError`` if none takes one.
    """
    found: list[Operator] = []
    taking = skipped = 0
    why = ""
    for operator in operators:
        spec = everything()[operator.op]
        if all(item.name != _PARAMETER for item in spec.parameters):
            why = why or f"{operator.op} has no {_PARAMETER}, which --format is about"
            found += [operator] if keep else []
            skipped += not keep
            continue
        for layout in chosen:
            given = _laid(operator, layout, unfit)
            if isinstance(given, str):
                why, skipped = why or given, skipped + 1
                continue
            taking += 1
            found.append(given)
    if not taking:
        raise AssayError(f"{why}.")
    return tuple(found), skipped


def _laid(operator: Operator, layout: str, unfit: Unfit) -> Operator | str:
    """The operator in a layout, or why there is none."""
    wishes = operator.wishes
    fixed = {**wishes.fixed, _PARAMETER: layout}
    label = f"{operator.label} {layout}"
    plain = msgspec.structs.replace(
        operator, label=label, wishes=msgspec.structs.replace(wishes, fixed=fixed)
    )
    shape = wishes.shape or default_shape(everything()[operator.op])
    moved = msgspec.structs.replace(plain.wishes, shape=_moved(shape, layout))
    first = msgspec.structs.replace(plain, wishes=moved)
    # What wants another shape then takes the one that it would take without a wish.
    refused = unfit(first)
    return first if not refused else unfit(plain) or plain


def _moved(shape: Shape, layout: str) -> Shape:
    if layout == "channels_last" or len(shape) < 3:
        return shape
    return (shape[0], shape[-1], *shape[1:-1])
