"""Running totals, differences of neighbours, and the area below samples."""

from assay.ops._base import Invalid, OpSpec, Params, Shape, Shapes, Tensor, parameter
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras.ops._kinds import AT_LEAST_1, NUMERIC, path, scan
from assay.ops.shapes import axes


def _difference(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if params["n"] < 0:
        raise Invalid("fewer than no differences")
    length = max(0, shapes[0][along] - params["n"])
    return ((*shapes[0][:along], length, *shapes[0][along + 1 :]),)


def _samples(draw: Draw, first: Shape) -> Shapes:
    return (first if draw.chance(0.6) else first[-1:],)


def _trapezoid(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if not shapes[0][along]:
        raise Invalid("no sample")
    if len(shapes) > 1 and shapes[1] not in (shapes[0], (shapes[0][along],)):
        raise Invalid("sample points do not fit")
    return (tuple(n for place, n in enumerate(shapes[0]) if place != along),)


SPECS = (
    scan("cumsum"),
    scan("cumprod"),
    OpSpec(
        name=path("diff"),
        rule=_difference,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=NUMERIC),),
        parameters=(
            parameter("n", 1, valid=(1, 2), boundary=(0, 9), invalid=(-1, "twice")),
            axis(default=-1),
        ),
    ),
    scan("nancumsum"),
    scan("nancumprod"),
    OpSpec(
        name="keras.ops.trapezoid",
        rule=_trapezoid,
        tensors=(
            Tensor(ranks=AT_LEAST_1, dtypes=("float32", "int32", "float16")),
            Tensor(ranks=AT_LEAST_1, keyword="x", optional=True),
        ),
        companions=_samples,
        parameters=(
            parameter("dx", 1.0, (0.5, 2.0), (0.0, -1.0), ("wide",)),
            axis(default=-1),
        ),
    ),
)
