"""Changes of a case: a case goes in, another one comes out; nothing is run or judged."""

from assay.ir.transform.alone import loss_case, of_size_one, single_node_case, step_case
from assay.ir.transform.axes import (
    recast_case,
    renumbered,
    squeezed_case,
    with_shorter_upstream,
)
from assay.ir.transform.ball import Ball, ball_of
from assay.ir.transform.beside import stepped_cases
from assay.ir.transform.edit import (
    forward_only,
    reading,
    with_arrays,
    with_node,
    with_nodes,
    with_plain_upstream,
    with_upstream,
    with_values,
    without_unused_inputs,
)
from assay.ir.transform.equivalent import Equivalent, equivalents
from assay.ir.transform.formats import spacing, widened_case, with_policy
from assay.ir.transform.mix import mixed_case
from assay.ir.transform.moderate import (
    exact_case,
    flushed_case,
    moderated_case,
    shrunk_case,
    tamed_case,
)
from assay.ir.transform.nudge import nudged_arrays, nudged_cases
from assay.ir.transform.parameters import with_parameter, with_parameters, without_parameters
from assay.ir.transform.part import bypassed, cut_out, ending_with, part_before, part_behind
from assay.ir.transform.unwrap import unwrapped_case

__all__ = [
    "Ball",
    "Equivalent",
    "ball_of",
    "bypassed",
    "cut_out",
    "ending_with",
    "equivalents",
    "exact_case",
    "flushed_case",
    "forward_only",
    "loss_case",
    "mixed_case",
    "moderated_case",
    "nudged_arrays",
    "nudged_cases",
    "of_size_one",
    "part_before",
    "part_behind",
    "reading",
    "recast_case",
    "renumbered",
    "shrunk_case",
    "single_node_case",
    "spacing",
    "squeezed_case",
    "step_case",
    "stepped_cases",
    "tamed_case",
    "unwrapped_case",
    "widened_case",
    "with_arrays",
    "with_node",
    "with_nodes",
    "with_parameter",
    "with_parameters",
    "with_plain_upstream",
    "with_policy",
    "with_shorter_upstream",
    "with_upstream",
    "with_values",
    "without_parameters",
    "without_unused_inputs",
]
