"""Dense layers."""

from assay.ops._base import OpSpec, Params, Shapes
from assay.ops.keras._common import ACTIVATION, count, flag


def _dense(params: Params, shapes: Shapes) -> Shapes:
    return ((*shapes[0][:-1], params["units"]),)


SPECS = (
    OpSpec(
        name="keras.layers.Dense",
        rule=_dense,
        parameters=(count("units"), ACTIVATION, flag("use_bias", True)),
        weights=("kernel", "bias"),
    ),
)
