"""The case as code: arrays, objects, weights, and the calls a worker makes."""

import ast
import textwrap
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from assay.ir import Array, Case, Constant, Dot, Explicit, LossOp, Node, Recipe
from assay.libraries import SHARED, Dialect, words
from assay.reproduce.catalogued import arguments_code
from assay.reproduce.literals import array_code, is_class, keywords_code, value_code, wrapped
from assay.reproduce.onnx_model import model_lines, run_code
from assay_worker.libraries.keras.invariants import COMPARED
from assay_worker.libraries.keras.step import CONSTANT_WEIGHTS
from assay_worker.recipes import materialise
from assay_worker.reference import Operation

#: The dtype that arrays lack: they hold its numbers as float32.
BFLOAT16 = "bfloat16"
#: Families whose objects have another name than their family without its s.
_SINGULAR = {"losses": "loss"}


class CannotReproduce(Exception):
    """A finding that no script of ours can ask about; the message says why."""


class Program(msgspec.Struct, frozen=True):
    """Code in the order it runs.

    ``tensors`` make the inputs, ``objects`` the layers with their weights (or a model, or a
    compiled function);
    ``calls`` assign what the last node needs, and ``result`` is the expression of
    its outputs. ``names`` are the variables of the case's tensors; ``differentiable``
    those of the floating inputs. ``values`` are the weights of the only layer, where they are
    set after the calls.
    """

    tensors: tuple[str, ...]
    objects: tuple[str, ...]
    calls: tuple[str, ...]
    result: str
    names: dict[str, str]
    differentiable: tuple[str, ...]
    layers: tuple[str, ...]
    values: tuple[Array, ...] = ()


def program_of(
    case: Case,
    dialect: Dialect,
    mode: str = "eager",
    weights: bool = True,
    invariant: int | None = None,
    named: bool = False,
) -> Program:
    """What a worker is asked in a mode, as code; the case is in the words of the dialect's library.

    Without ``weights`` layers keep their initial ones. ``invariant`` is the place
    of the comparable number wanted of an op whose results have free signs. Layers
    are made before they are called; with ``named`` every other object is too.
    """
    arrays = case.input_arrays()
    names = _names(case)
    kinds = {item.name: item.dtype for item in case.graph.inputs}
    tensors = [
        wrapped(f"{names[name]} = {tensor_code(dialect, array, case.inputs[name], kinds[name])}")
        for name, array in arrays.items()
    ]
    objects: list[str] = []
    calls: list[str] = []
    layers: list[str] = []
    values: tuple[Array, ...] = ()
    result = ""
    for node in case.graph.nodes:
        if node.op.partition(".")[0] not in _roots(dialect):
            raise CannotReproduce(f"{node.op} is not part of a public library")
        last = node is case.graph.nodes[-1]
        if dialect.run:
            continue
        step = _Step(case, node, names, dialect)
        if step.is_layer:
            layers.append(step.object)
        if step.is_layer or (named and is_class(node.op)):
            step.named = True
            objects.append(f"{step.object} = {step.constructed}")
            if weights and step.is_layer and len(case.graph.nodes) == 1:
                if dialect.builds:
                    values = tuple(step.weights(arrays))
                else:
                    objects += step.assigned(arrays)
        before, result = step.called(invariant if last else None)
        calls += before
        if not last:
            # A node that was written for another has a mark in its id.
            names[node.id] = node.id.replace("~", "_")
            calls.append(f"{names[node.id]} = {result}")
            _name_outputs(case, node, names, dialect)
    if dialect.run:
        objects, result = model_lines(case, dialect, mode), run_code(case, dialect, names)
    elif dialect.modes[mode]:
        arguments = ", ".join(names[name] for name in arrays)
        body = textwrap.indent("\n".join([*calls, f"return {result}"]), "    ")
        objects = ["", dialect.modes[mode], f"def call({arguments}):", body, ""]
        calls, result = [], f"call({arguments})"
    return Program(
        tensors=tuple(tensors),
        objects=tuple(objects),
        calls=tuple(calls),
        result=result,
        names=names,
        differentiable=tuple(names[n] for n, array in arrays.items() if array.dtype.kind == "f"),
        layers=tuple(layers),
        values=values,
    )


def _roots(dialect: Dialect) -> set[str]:
    """How the names of ops begin that a script has imported."""
    return {module.rpartition(" ")[2].partition(".")[0] for module in dialect.imports}


def filled(template: str, expression: str) -> str:
    """A template of a dialect with the expression in place of ``{}``."""
    # What is written behind an expression binds more tightly than an operator in it.
    loose = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp)
    if template.startswith("{}.") and isinstance(ast.parse(expression, mode="eval").body, loose):
        expression = f"({expression})"
    return template.replace("{}", expression)


def tensor_code(dialect: Dialect, array: Array, recipe: Recipe, dtype: str = "") -> str:
    """A tensor of an array; of a dtype that arrays lack, if that is named."""
    template = dialect.tensor
    if dtype == BFLOAT16:
        template = dialect.bfloat16
        if not template:
            raise CannotReproduce(f"{dialect.imports[0]} has no tensors of {dtype}")
    return filled(template, array_code(array, recipe))


def _names(case: Case) -> dict[str, str]:
    inputs = [item.name for item in case.graph.inputs]
    return {inputs[0]: "x"} if len(inputs) == 1 else {name: name for name in inputs}


def _name_outputs(case: Case, node: Node, names: dict[str, str], dialect: Dialect) -> None:
    """Later nodes read ``n:1`` as an item of what ``n`` gave."""
    for other in case.graph.nodes:
        for tensor in other.tensors():
            producer, _, place = tensor.partition(":")
            if producer == node.id and place:
                names[tensor] = f"{filled(dialect.items, names[node.id])}[{place}]"


class _Step:
    """One node as code."""

    def __init__(self, case: Case, node: Node, names: dict[str, str], dialect: Dialect) -> None:
        self._case = case
        self._dialect = dialect
        self._node = node
        self._names = names
        self.is_layer = node.op.startswith("keras.layers.")
        family = node.op.split(".")[1]
        suffix = "" if len(case.graph.nodes) == 1 else f"_{node.id}"
        self.object = _SINGULAR.get(family, family.removesuffix("s")) + suffix
        self.named = False
        lists = node.op.startswith("keras.metrics.")
        told = dialect.told(node.op, node.params)
        self.constructed = f"{node.op}({', '.join(keywords_code(told, lists))})"

    def _positional(self) -> list[str]:
        return [
            self._names[item]
            if isinstance(item, str)
            else f"[{', '.join(self._names[tensor] for tensor in item)}]"
            for item in self._node.inputs
        ]

    def _keywords(self) -> list[str]:
        return [f"{key}={self._argument(value)}" for key, value in self._node.arguments.items()]

    def _argument(self, value: Any) -> str:
        if isinstance(value, dict) and "$tensor" in value:
            return self._names[value["$tensor"]]
        if isinstance(value, dict) and "$dtype" in value:
            return filled(self._dialect.dtype, value["$dtype"])
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            return f"[{', '.join(self._argument(item) for item in value)}]"
        return value_code(value)

    def called(self, invariant: int | None) -> tuple[list[str], str]:
        """Statements before, and the expression of the result."""
        op, positional = self._node.op, self._positional()
        if not op.startswith(f"{SHARED}."):
            given = [f"{k}={self._argument(v)}" for k, v in self._node.params.items()]
            return [], self._native(op, positional, given)
        if op.startswith("keras.optimizers."):
            return self._one_step(positional)
        if self.is_layer:
            known = self._dialect.trained
            told = self._case.training and (op in known or not known)
            training = ["training=True"] if told else []
            return [], _call(self.object, positional + self._keywords() + training)
        if is_class(op):
            made = self.object if self.named else self.constructed
            return [], _call(made, positional + self._keywords())
        params = dict(self._dialect.told(op, self._node.params))
        if op == "keras.ops.einsum":  # what stands before *operands has no keyword
            positional.insert(0, value_code(params.pop("subscripts")))
        call = _call(op, positional + keywords_code(params) + self._keywords())
        family = op.rpartition(".")[2]
        if invariant is None or family not in COMPARED:
            return [], call
        return _invariant(family, call, positional[0], self._node.params, invariant)

    def _native(self, op: str, positional: list[str], given: list[str]) -> str:
        if self._node.catalogued:
            made = arguments_code(self._node.params, self._dialect)
            called = f"{op}({', '.join(made)})" if is_class(op) else op
            return _call(called, arguments_code(self._node.arguments, self._dialect, self._names))
        form = words()[op].form if op in words() else "function"
        if form == "method":
            return _call(f"{positional[0]}.{op.rpartition('.')[2]}", positional[1:] + given)
        if form == "function" or not is_class(op):
            return _call(op, positional + given + self._keywords())
        return _call(f"{op}({', '.join(given)})", positional)

    def _one_step(self, positional: list[str]) -> tuple[list[str], str]:
        value, gradient = positional
        made = [] if self.named else [f"optimizer = {self.constructed}"]
        if not isinstance(self._node.inputs[0], str):
            return [
                *made,
                f"variables = [keras.Variable(value) for value in {value}]",
                "optimizer.build(variables)",
                f"optimizer.apply({gradient}, variables)",
            ], "[variable.value for variable in variables]"
        return [
            *made,
            f"variable = keras.Variable({value}, dtype={value}.dtype)",
            "optimizer.build([variable])",
            f"optimizer.apply([{gradient}], [variable])",
        ], "variable.value"

    def assigned(self, arrays: dict[str, Array]) -> list[str]:
        """Build the layer and give it the weights that every arm used."""
        weights = self.weights(arrays)
        if not weights:
            return []
        first = self._node.inputs[0] if len(self._node.inputs) == 1 else None
        if first is None or self._node.arguments:
            build = _call(self.object, self._positional() + self._keywords())
        elif isinstance(first, str):
            build = f"{self.object}.build({arrays[first].shape})"
        else:
            shapes = ", ".join(str(arrays[name].shape) for name in first)
            build = f"{self.object}.build([{shapes}])"
        values = f"[{', '.join(array_code(weight) for weight in weights)}]"
        if not self._node.params.get("stateful"):
            return [build, wrapped(f"{self.object}.set_weights({values})")]
        # What a stateful layer remembers is not among its weights.
        return [
            build,
            f"variables = [*{self.object}.weights, *keras.tree.flatten({self.object}.states)]",
            wrapped(f"for variable, value in zip(variables, {values}):"),
            "    variable.assign(value)",
        ]

    def weights(self, arrays: dict[str, Array]) -> list[Array]:
        """The weights that every arm used; none if they are not known."""
        node, case = self._node, self._case
        if node.op in CONSTANT_WEIGHTS:
            return []
        if node.id in case.explicit_weights:
            return [item.array for item in case.explicit_weights[node.id]]
        return [
            case.weight_array(node.id, index, weight.name, tuple(weight.shape))
            for index, weight in enumerate(_described(node, arrays))
        ]


def _described(node: Node, arrays: dict[str, Array]) -> tuple[Any, ...]:
    """Name and shape of each weight, as the reference knows them; none if it does not."""

    def value(item: Any) -> Any:
        if isinstance(item, (list, tuple)) and item:
            return [value(part) for part in item]
        if isinstance(item, dict) and "$tensor" in item:
            return arrays[item["$tensor"]]
        return arrays.get(item, item) if isinstance(item, str) else item

    positional = [value(item) for item in node.inputs]
    keywords = {key: value(item) for key, item in node.arguments.items()}
    try:
        return tuple(Operation(node.op, node.params).weights(positional, keywords))
    except Exception:  # noqa: BLE001  the reference refuses what it does not know, in many ways
        return ()


def _call(function: str, arguments: list[str]) -> str:
    code = f"{function}({', '.join(arguments)})"
    if len(code) <= 88:
        return code
    inner = "\n".join(f"    {argument}," for argument in arguments)
    return f"{function}(\n{inner}\n)" if len(function) <= 88 else code


def _invariant(
    family: str, call: str, x: str, params: dict[str, Any], place: int
) -> tuple[list[str], str]:
    """What a worker compares of a factorisation, see ``COMPARED``."""
    if family == "svd" and params.get("compute_uv") is False:
        return [], call
    unpacked, parts = COMPARED[family]
    return [f"{', '.join(unpacked)} = {call}"], parts[place].format(x=x)


def upstream_code(
    case: Case, dialect: Dialect, outputs: dict[str, Array], simple: bool
) -> tuple[list[str], str]:
    """Lines that make the upstream gradients, and the loss of a variable ``result``.

    ``outputs`` are the case's outputs as some arm gave them, by tensor name.
    ``simple``: the sum of the outputs will do.
    """
    names = list(case.graph.outputs)
    given = [outputs.get(name.removesuffix(":0")) for name in names]
    several = len(names) > 1 or len(outputs) > 1
    places = [name.partition(":")[2] or "0" for name in names]
    items = filled(dialect.items, "result")
    parts = [f"{items}[{place}]" if several else "result" for place in places]

    def total(terms: Iterable[str]) -> str:
        return " + ".join(filled(dialect.total, term) for term in terms)

    if isinstance(case.loss, LossOp):
        loss = case.loss
        labels = materialise(loss.labels.as_dict(), loss.label_shape, loss.label_dtype)
        made = f"{loss.op}({', '.join(keywords_code(dialect.told(loss.op, loss.params)))})"
        lines = [wrapped(f"labels = {tensor_code(dialect, labels, loss.labels)}")]
        # A copy: TensorFlow's softmax hands its logits on to losses behind our back.
        return lines, f"{made}(labels, {filled(dialect.copy, parts[0])})"
    if not isinstance(case.loss, Dot):
        return [], total(parts)
    floats = [array is None or array.dtype.kind == "f" for array in given]
    kept = [i for i in range(len(names)) if floats[i] or not any(floats)]
    if simple or any(given[i] is None for i in kept):
        return [], total(parts[i] for i in kept)
    lines, terms = [], []
    for i in kept:
        output = given[i]
        assert output is not None
        recipe = case.loss.upstream[i]
        if recipe == Constant(1.0):
            terms.append(parts[i])
            continue
        array = recipe.materialise(output.shape, "float32")
        if isinstance(recipe, Explicit):
            array = np.asarray(recipe.array, "float32")
        name = "upstream" if len(kept) == 1 else f"upstream{i}"
        made = array_code(array, recipe)
        if output.dtype.name != "float32":
            made += f", dtype={filled(dialect.dtype, output.dtype.name)}"
        lines.append(wrapped(f"{name} = {filled(dialect.tensor, made)}"))
        terms.append(f"{parts[i]} * {name}")
    return lines, total(terms)
