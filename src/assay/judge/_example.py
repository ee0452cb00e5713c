"""The example of an entry: one call that the entry silences, as a case."""

from typing import Any

import msgspec
import numpy as np

from assay.ir import Case, Dot, Explicit, Graph, Input, Node, Recipe, Uniform, validate_case

_NODE = "n0"


class ExampleInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tensor: its ``values``, or only its ``shape`` where any numbers will do."""

    values: Any = None
    shape: tuple[int, ...] = ()
    dtype: str = "float32"


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call of an op on tensors ``x0``, ``x1`` …, and the targets that disagree on it.

    A tensor that ``arguments`` name (``{"$tensor": "x1"}``) is given there, every
    other one by position, or ``grouped`` in one list. ``gradient`` asks for
    gradients too; ``out_of_range`` says that some id names nothing, which only
    the maker of a case can know.
    """

    op: str
    inputs: tuple[ExampleInput, ...]
    params: dict[str, Any] = {}
    arguments: dict[str, Any] = {}
    grouped: bool = False
    gradient: bool = False
    out_of_range: bool = False
    targets: tuple[str, ...] = ("keras-tensorflow", "keras-jax", "keras-torch")


def case_of(example: Example) -> Case:
    """The case of an example, or ``ValueError`` saying what is wrong with it."""
    names = [f"x{place}" for place in range(len(example.inputs))]
    recipes = {name: _recipe(item) for name, item in zip(names, example.inputs, strict=True)}
    graph_inputs = tuple(
        Input(name, _shape(item, recipes[name]), item.dtype)
        for name, item in zip(names, example.inputs, strict=True)
    )
    keywords = {
        value["$tensor"]
        for value in example.arguments.values()
        if isinstance(value, dict) and "$tensor" in value
    }
    positional = tuple(name for name in names if name not in keywords)
    node = Node(
        _NODE,
        example.op,
        (positional,) if example.grouped else positional,
        example.params,
        example.arguments,
    )
    return validate_case(
        Case(
            graph=Graph(graph_inputs, (node,), (_NODE,)),
            inputs=recipes,
            loss=Dot((Uniform(2, 0.5, 1.5),)) if example.gradient else None,
            stage="gradient" if example.gradient else "forward",
        )
    )


def classes_of(example: Example) -> tuple[tuple[str, str, str], ...]:
    """The value classes of the example that its values do not show."""
    return ((example.op, "input", "out_of_range"),) if example.out_of_range else ()


def _recipe(item: ExampleInput) -> Recipe:
    if (item.values is None) == (not item.shape):
        raise ValueError("an input has either values or a shape")
    if item.values is None:
        return Uniform(1)
    try:
        return Explicit(np.array(item.values, item.dtype))
    except TypeError as error:  # no such dtype
        raise ValueError(str(error)) from error


def _shape(item: ExampleInput, recipe: Recipe) -> tuple[int, ...]:
    return recipe.array.shape if isinstance(recipe, Explicit) else item.shape
