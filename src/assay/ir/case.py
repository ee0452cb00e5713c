"""Case: a graph and how its inputs, weights and labels are made."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.ir.graph import Graph, Input, Node, Parameters, is_tensor, plain_name, validate
from assay.ir.recipe import Array, Constant, Explicit, Recipe, Uniform
from assay_worker.recipes import weight_recipe

#: Stages a worker can be asked for; each includes those before it.
STAGES = ("build", "forward", "loss", "gradient", "update")
#: Stand for the loss and for the optimizer among nodes.
LOSS = "loss"
OPTIMIZER = "optimizer"


class Dot(msgspec.Struct, frozen=True, tag_field="kind", tag="dot"):
    """Loss = sum(output * upstream), over all outputs in order.

    Its gradient with respect to a node's inputs and weights is the node's
    vector-Jacobian product for the upstream gradient the recipes give.
    """

    upstream: tuple[Recipe, ...]


class LossOp(msgspec.Struct, frozen=True, tag_field="kind", tag="op"):
    """Loss = the library's own loss object, on the first output and labels."""

    op: str
    labels: Recipe
    label_shape: tuple[int, ...]
    params: Parameters = {}
    label_dtype: str = "float32"


Loss = Dot | LossOp


class OptimizerOp(msgspec.Struct, frozen=True):
    """The library's own optimizer, which takes one step with the gradients of all weights."""

    op: str
    params: Parameters = {}

    @property
    def coupled(self) -> bool:
        """Does what happens to one weight depend on the gradients of the others?"""
        return self.params.get("global_clipnorm") is not None


class Case(msgspec.Struct, frozen=True):
    """What an arm executes.

    ``inputs`` has one recipe per graph input. ``weights`` is drawn per node and
    weight; ``explicit_weights`` (by node, in the library's weight order) win
    over it. ``stage`` is the last stage wanted.
    """

    graph: Graph
    inputs: dict[str, Recipe]
    weights: Uniform = Uniform(seed=0, low=-0.5, high=0.5)
    explicit_weights: dict[str, tuple[Explicit, ...]] = {}
    loss: Loss | None = None
    optimizer: OptimizerOp | None = None
    training: bool = False
    stage: str = "forward"

    def input_arrays(self) -> dict[str, Array]:
        """Every graph input as an array."""
        return {
            item.name: self.inputs[item.name].materialise(item.shape, item.dtype)
            for item in self.graph.inputs
        }

    def weight_array(self, node: str, index: int, name: str, shape: tuple[int, ...]) -> Array:
        """The weight that every arm assigns, as float32."""
        if node in self.explicit_weights:
            return self.explicit_weights[node][index].array
        recipe = weight_recipe(self.weights.as_dict(), node, index, name)
        return Uniform(recipe["seed"], recipe["low"], recipe["high"]).materialise(shape, "float32")


def single_node_case(
    case: Case,
    node_id: str,
    tensors: dict[str, Array],
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
    alone = Node(
        id=node.id,
        op=node.op,
        inputs=tuple(
            renamed[argument]
            if isinstance(argument, str)
            else tuple(renamed[tensor] for tensor in argument)
            for argument in node.inputs
        ),
        params=node.params,
        arguments={key: _renamed(value, renamed) for key, value in node.arguments.items()},
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
        graph=validate(Graph(inputs, (alone,), outputs)),
        inputs={renamed[name]: Explicit(tensors[name]) for name in names},
        weights=case.weights,
        explicit_weights={k: v for k, v in case.explicit_weights.items() if k == node.id},
        loss=loss,
        training=case.training,
        stage=stage,
    )


def loss_node(loss: LossOp) -> Node:
    """The loss as a node that reads labels and predictions."""
    return Node(LOSS, loss.op, ("labels", "predictions"), loss.params)


def optimizer_node(optimizer: OptimizerOp) -> Node:
    """The optimizer as a node that reads the value of a weight and its gradient."""
    return Node(OPTIMIZER, optimizer.op, ("value", "gradient"), optimizer.params)


def readers(case: Case, tensor: str) -> tuple[Node, ...]:
    """Whoever reads a tensor, the last first; a loss op reads the first output."""
    found = [
        node for node in reversed(case.graph.nodes) if tensor in map(plain_name, node.tensors())
    ]
    if isinstance(case.loss, LossOp) and tensor == plain_name(case.graph.outputs[0]):
        found.insert(0, loss_node(case.loss))
    return tuple(found)


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


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A keyword argument with other names for its tensors."""
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return {"$tensor": names[value["$tensor"]]} if is_tensor(value) else value


def _free(name: str, taken: set[str]) -> str:
    """``name``, longer by underscores until nobody else has it."""
    while name in taken:
        name += "_"
    return name


def validate_case(case: Case) -> Case:
    """The case itself, or ``ValueError`` saying what is missing."""
    validate(case.graph)
    names = {item.name for item in case.graph.inputs}
    if set(case.inputs) != names:
        raise ValueError(
            f"expected a recipe for each of {sorted(names)}; received {sorted(case.inputs)}"
        )
    if case.stage not in STAGES:
        raise ValueError(f"unknown stage {case.stage!r}; expected one of {STAGES}")
    if STAGES.index(case.stage) >= STAGES.index("loss") and case.loss is None:
        raise ValueError(f"stage {case.stage!r} needs a loss")
    if case.stage == "update" and case.optimizer is None:
        raise ValueError("stage 'update' needs an optimizer")
    return case
