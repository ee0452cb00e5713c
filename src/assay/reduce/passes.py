"""Every pass, in the order in which they pay: what shrinks most comes first."""

from assay.reduce.asking_less import less_asked
from assay.reduce.graph import fewer_inputs, fewer_nodes
from assay.reduce.parameters import drop_parameters, plainer_parameters
from assay.reduce.search import Pass
from assay.reduce.shapes import fewer_axes, shorter_axes, usual_dtypes
from assay.reduce.values import filled_arrays, finite_values, plainer_values

PASSES: tuple[Pass, ...] = (
    filled_arrays,
    finite_values,
    fewer_nodes,
    less_asked,
    fewer_inputs,
    shorter_axes,
    drop_parameters,
    plainer_parameters,
    fewer_axes,
    usual_dtypes,
    plainer_values,
)
