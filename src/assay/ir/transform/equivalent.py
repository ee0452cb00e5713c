"""The question of a single node put in another way, to which the same answer is right."""

from collections.abc import Callable, Collection, Sequence

import msgspec
import numpy as np

from assay.ir import Argument, Array, Case
from assay.ir.transform.edit import forward_only, with_arrays
from assay.ir.transform.parameters import with_parameters


class Equivalent(msgspec.Struct, frozen=True):
    """The same question put in another way.

    ``restore`` turns its answer into the answer to the original question, of
    which ``part`` is compared. ``why`` says what it means if they differ.
    """

    why: str
    case: Case
    restore: Callable[[Array], Array]
    part: Callable[[Array], Array]


def equivalents(case: Case, position: Sequence[int]) -> list[Equivalent]:
    """Ways to ask a single node's question again: its axis last, or one sample alone.

    ``position`` is the element that differs.
    """
    return [item for item in (_axis_last(case), _one_sample(case, position)) if item is not None]


def _axis_last(case: Case) -> Equivalent | None:
    """Positional tensors of one shape with the axis moved to the end; others stay."""
    (node,) = case.graph.nodes
    names = frozenset(name for item in node.inputs for name in _listed(item))
    axis = node.params.get("axis")
    if isinstance(axis, list) and len(axis) == 1:
        (axis,) = axis
    shapes = {item.shape for item in case.graph.inputs if item.name in names}
    if type(axis) is not int or len(shapes) != 1:
        return None
    (shape,) = shapes
    if not -len(shape) <= axis < len(shape) - 1 or axis == -1:
        return None
    moved = _forward(case, names, lambda x: np.moveaxis(x, axis, -1))
    return Equivalent(
        f"with axis {axis} moved to the end each gives another result",
        with_parameters(moved, node, {"axis": -1}),
        lambda x: np.moveaxis(x, -1, axis) if x.ndim == len(shape) else x,
        lambda x: x,
    )


def _one_sample(case: Case, position: Sequence[int]) -> Equivalent | None:
    """The sample of a batch that differs, alone: a layer does not mix samples."""
    (node,) = case.graph.nodes
    batches = {item.shape[0] if item.shape else 0 for item in case.graph.inputs}
    layer = node.op.startswith("keras.layers.") and not case.training
    if not layer or len(batches) != 1 or min(batches) < 2 or not position:
        return None
    sample = slice(position[0], position[0] + 1)
    return Equivalent(
        f"sample {position[0]} alone gives another result than in its batch",
        _forward(case, case.inputs, lambda x: x[sample]),
        lambda x: x,
        lambda x: x[sample],
    )


def _listed(argument: Argument) -> tuple[str, ...]:
    return (argument,) if isinstance(argument, str) else argument


def _forward(case: Case, names: Collection[str], change: Callable[[Array], Array]) -> Case:
    """The case with these inputs changed, asked for its result only."""
    arrays = {
        name: np.ascontiguousarray(change(array)) if name in names else array
        for name, array in case.input_arrays().items()
    }
    return forward_only(with_arrays(case, arrays))
