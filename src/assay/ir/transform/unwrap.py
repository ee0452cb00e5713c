"""The layer inside of a wrapper, alone: if it shows the disagreement, it is described by it."""

from math import prod

from msgspec.structs import replace

from assay.ir import Array, Case, Dot, Explicit, Node, Recipe, Uniform, derive
from assay.ir.transform.edit import with_arrays, with_upstream

_EACH_STEP = "keras.layers.TimeDistributed"
_BOTH_WAYS = "keras.layers.Bidirectional"


def unwrapped_case(case: Case) -> Case | None:
    """The case of the inner layer of a single wrapper on the same numbers; None if there is none.

    What TimeDistributed does to each step the layer does to a batch of all steps.
    Of Bidirectional it is the forward layer, which reads what the wrapper reads.
    Weights stay the same: those of the (forward) layer come first in the wrapper.
    """
    if len(case.graph.nodes) != 1:
        return None
    (node,) = case.graph.nodes
    inner = node.params.get("layer")
    plain = len(node.inputs) == 1 and len(case.graph.inputs) == 1 and not node.arguments
    if node.op not in (_EACH_STEP, _BOTH_WAYS) or not isinstance(inner, dict) or not plain:
        return None
    if set(node.params) - {"layer", "merge_mode"} or "$op" not in inner:
        return None
    (item,) = case.graph.inputs
    array = case.input_arrays()[item.name]
    if node.op == _EACH_STEP:
        array = _merged(array)
    alone = Node(node.id, inner["$op"], node.inputs, inner.get("params", {}))
    graph = replace(case.graph, nodes=(alone,), outputs=(node.id,))
    unwrapped = with_arrays(replace(case, graph=graph), {item.name: array})
    if isinstance(case.loss, Dot):
        unwrapped = with_upstream(unwrapped, [_upstream(node.op, case.loss.upstream[0], case)])
    return unwrapped


def _upstream(op: str, upstream: Recipe, case: Case) -> Recipe:
    if op == _EACH_STEP and isinstance(upstream, Explicit):
        return Explicit(_merged(upstream.array))
    if op == _EACH_STEP:
        return upstream  # as many numbers, in the same order
    return Uniform(derive(case.weights.seed, "upstream"), 0.5, 1.5)


def _merged(array: Array) -> Array:
    """Batch and time as one axis."""
    return array.reshape((prod(array.shape[:2]), *array.shape[2:]))
