"""A model of Keras' layers, node by node; shapes are worked out from the specs of its ops."""

from typing import Any

import msgspec

from assay.ir import Argument, Case, Graph, Input, Node, Recipe, Scaled, derive, validate_case


class Seed(msgspec.Struct, frozen=True):
    """A seed model: the case, and the tensor whose numbers decide the label."""

    case: Case
    logits: str

    def kept(self) -> dict[str, frozenset[str]]:
        """Parameters that variants leave alone, by node: as many labels and words as there are.

        A mask is handed on unseen by the graph, so that no node could be asked alone; channels
        first is what TensorFlow computes on GPUs only, where such a variant would end.
        """
        usual = {"data_format", "input_dim", "mask_zero"}
        return {
            node.id: frozenset({*usual, "units"} if node.id == self.logits else usual)
            for node in self.case.graph.nodes
        }


class Building:
    """Grows by calls; nodes are named after their layers, and numbered."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._inputs: list[Input] = []
        self._recipes: dict[str, Recipe] = {}
        self._nodes: list[Node] = []
        self._counts: dict[str, int] = {}

    def own_seed(self) -> int:
        """A seed for the next input."""
        return derive(self._seed, "input", len(self._inputs))

    def input(self, shape: tuple[int, ...], dtype: str, recipe: Recipe) -> str:
        """A new input of the model."""
        name = f"x{len(self._inputs)}"
        self._inputs.append(Input(name, shape, dtype))
        self._recipes[name] = recipe
        return name

    def add(self, layer: str, *inputs: Argument, **params: Any) -> str:
        """A layer of Keras that reads these tensors; the name of its output."""
        count = self._counts[layer] = self._counts.get(layer, 0) + 1
        name = f"{layer.lower()}_{count}"
        self._nodes.append(Node(name, f"keras.layers.{layer}", inputs, params))
        return name

    def classifier(self, flow: str, labels: int) -> Seed:
        """The model with a layer of logits at its end, and their softmax."""
        logits = self.add("Dense", flow, units=labels)
        last = self.add("Softmax", logits)
        case = Case(
            graph=Graph(tuple(self._inputs), tuple(self._nodes), (last,)),
            inputs=self._recipes,
            weights=Scaled(derive(self._seed, "weights")),
        )
        return Seed(validate_case(case), logits)
