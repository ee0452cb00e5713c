"""Case: a graph and how its inputs, weights and labels are made."""

import msgspec

from assay.ir.graph import Graph, Node, Parameters, plain_name, validate
from assay.ir.recipe import Array, Explicit, Recipe, Scaled, Uniform, redrawn
from assay_worker.recipes import materialise, weight_recipe

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
    weights: Uniform | Scaled = Uniform(seed=0, low=-0.5, high=0.5)
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

    def drawn(self, draw: int) -> "Case":
        """The same with other numbers of the same kind; draw 0 is its own."""
        inputs = {name: redrawn(recipe, draw) for name, recipe in self.inputs.items()}
        return msgspec.structs.replace(self, inputs=inputs)

    def weight_array(self, node: str, index: int, name: str, shape: tuple[int, ...]) -> Array:
        """The weight that every arm assigns, as float32."""
        if node in self.explicit_weights:
            return self.explicit_weights[node][index].array
        recipe = weight_recipe(self.weights.as_dict(), node, index, name)
        array: Array = materialise(recipe, shape, "float32")
        return array


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
