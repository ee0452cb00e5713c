"""A node, the loss or the optimizer of a case alone, on numbers that are given."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.ir import (
    LOSS,
    OPTIMIZER,
    STAGES,
    Array,
    Case,
    Constant,
    Dot,
    Explicit,
    Graph,
    Input,
    LossOp,
    Node,
    OptimizerOp,
    loss_node,
    optimizer_node,
    validate,
)
from assay.ir.transform.edit import reading

#: Below this an upstream gradient is enlarged.
_SMALL = 0.25


def single_node_case(
    case: Case,
    node_id: str,
    tensors: Mapping[str, Array],
    upstream: tuple[Array, ...] | None = None,
) -> Case:
    """The node alone, on the given values of the tensors it reads.

    The node keeps its id, so its weights stay the same. With ``upstream`` (one
    array per output) the case asks for the node's vector-Jacobian product.
    """
    node = case.graph.node(node_id)
    names = list(dict.fromkeys(node.tensors()))
    renamed: dict[str, str] = {}
    for tensor in names:
        taken = {node.id, *names, *renamed.values()} - {tensor}
        renamed[tensor] = _free(tensor.replace(":", "_"), taken)
    inputs = tuple(
        Input(renamed[name], tensors[name].shape, tensors[name].dtype.name) for name in names
    )
    count = 1 if upstream is None else len(upstream)
    outputs = (node.id,) if count == 1 else tuple(f"{node.id}:{i}" for i in range(count))
    loss = case.loss
    # An optimizer steps with the gradients of a whole model.
    stage = "gradient" if case.stage == "update" else case.stage
    stage = "forward" if STAGES.index(stage) < STAGES.index("loss") else stage
    if upstream is not None:
        loss, stage = Dot(tuple(Explicit(array) for array in upstream)), "gradient"
    elif len(case.graph.nodes) > 1 or isinstance(loss, LossOp):
        loss, stage = None, "forward"
    return Case(
        graph=validate(Graph(inputs, (reading(node, renamed),), outputs)),
        inputs={renamed[name]: Explicit(tensors[name]) for name in names},
        weights=case.weights,
        explicit_weights={k: v for k, v in case.explicit_weights.items() if k == node.id},
        loss=loss,
        training=case.training,
        stage=stage,
    )


def of_size_one(upstream: Array) -> Array:
    """The upstream gradient times a power of two, so that rounding is told from a small result.

    Gradients vanish in deep models, and a vector-Jacobian product is linear.
    """
    largest = float(np.abs(upstream).max(initial=0.0))
    if not 0.0 < largest < _SMALL:
        return upstream
    return np.asarray(upstream * np.float32(2.0 ** -np.floor(np.log2(largest))))


def loss_case(case: Case, predictions: Array) -> Case:
    """The loss op of a case alone, on the given predictions, with its gradient."""
    loss = case.loss
    if not isinstance(loss, LossOp):
        raise ValueError(f"expected a case with a loss op; received {loss!r}")
    inputs = (
        Input("labels", loss.label_shape, loss.label_dtype),
        Input("predictions", predictions.shape, predictions.dtype.name),
    )
    return Case(
        graph=Graph(inputs, (loss_node(loss),), (LOSS,)),
        inputs={"labels": loss.labels, "predictions": Explicit(predictions)},
        loss=Dot((Constant(1.0),)),
        stage="gradient",
    )


def step_case(optimizer: OptimizerOp, pairs: Sequence[tuple[Array, Array]]) -> Case:
    """The optimizer of a case alone, on weights and their gradients.

    One pair is two tensors to it, several are two lists.
    """
    names = [("value", "gradient")]
    if len(pairs) > 1:
        names = [(f"value{i}", f"gradient{i}") for i in range(len(pairs))]
    arrays = {
        name: array
        for pair, given in zip(names, pairs, strict=True)
        for name, array in zip(pair, given, strict=True)
    }
    node = optimizer_node(optimizer)
    outputs: tuple[str, ...] = (OPTIMIZER,)
    if len(pairs) > 1:
        values, gradients = zip(*names, strict=True)
        node = Node(OPTIMIZER, node.op, (values, gradients), node.params)
        outputs = tuple(f"{OPTIMIZER}:{i}" for i in range(len(pairs)))
    inputs = tuple(Input(name, array.shape, array.dtype.name) for name, array in arrays.items())
    return Case(
        graph=validate(Graph(inputs, (node,), outputs)),
        inputs={name: Explicit(array) for name, array in arrays.items()},
    )


def _free(name: str, taken: set[str]) -> str:
    """``name``, longer by underscores until nobody else has it."""
    while name in taken:
        name += "_"
    return name
