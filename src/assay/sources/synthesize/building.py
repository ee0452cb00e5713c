"""A model under construction: nodes, inputs and the shapes of what flows between them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.ir import Input, Node, Recipe, derive
from assay.ops import Shape
from assay.ops.instance import Call
from assay.ops.values import ordinary
from assay.sources._assemble import domain_of, node_of
from assay.sources._base import Triple


class Flow(NamedTuple):
    """A tensor on its way: its name, its shape, and the op it comes from."""

    name: str
    shape: Shape
    op: str = "input"


class Model:
    """Grows node by node. ``seed`` decides the numbers in its inputs and weights."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.inputs: dict[str, Input] = {}
        self.recipes: dict[str, Recipe] = {}
        self.nodes: list[Node] = []
        self.classes: dict[Triple, None] = {}

    def input(self, shape: Shape, dtype: str, recipe: Recipe) -> Flow:
        """A new input of the graph."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = Input(name, shape, dtype)
        self.recipes[name] = recipe
        return Flow(name, shape)

    def own_seed(self) -> int:
        """A seed for the next input's recipe."""
        return derive(self.seed, "input", len(self.inputs))

    def add(self, op: str, flow: Flow, result: Shape, /, **params: Any) -> Flow:
        """A node that reads one tensor and is here to make something fit."""
        node = Node(f"n{len(self.nodes)}", op, (flow.name,), params)
        self.nodes.append(node)
        return Flow(node.id, result, op)

    def join(self, op: str, flows: Sequence[Flow], shape: Shape) -> Flow:
        """A node that reads several tensors and is here to bring them together."""
        node = Node(f"n{len(self.nodes)}", op, tuple(flow.name for flow in flows))
        self.nodes.append(node)
        return Flow(node.id, shape, op)

    def call(self, call: Call, flows: Sequence[Flow | None]) -> Flow:
        """A drawn call; a tensor without a flow becomes an input of its own."""
        names = []
        for place, flow in enumerate(flows):
            if flow is None:
                domain, dtype = domain_of(call, call.slots[place]), call.dtypes[place]
                recipe = ordinary(domain, dtype, self.own_seed())
                flow = self.input(call.shapes[place], dtype, recipe)
            names.append(flow.name)
        node = node_of(f"n{len(self.nodes)}", call, names)
        self.nodes.append(node)
        self.classes.update(dict.fromkeys((*call.classes, (node.op, "input", "ordinary"))))
        # Of several outputs the first goes on; a name alone means just that.
        return Flow(node.id, call.outputs[0], node.op)
