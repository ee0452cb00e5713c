"""A whole model as a case: one node that stands for a file, on the inputs of one instance.

So a finding about a model is a finding like any other: it has a case, its outputs have
names as in a trace (``output:model``, ``output:model:1`` …), and its arrays lie beside it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from assay.ir.case import Case
from assay.ir.graph import Graph, Input, Node
from assay.ir.recipe import Array, Explicit
from assay.ir.serial import from_plain, to_plain
from assay.ir.thresholds import NONE, Thresholds

#: The op of the node that stands for a model, and the node's id.
MODEL_OP = "assay.model"
MODEL = "model"


class Place(msgspec.Struct, frozen=True):
    """What a target is made of (see ``assay.targets.Target``), as far as a script must know."""

    library: str
    backend: str = ""
    mode: str = "eager"
    python: str = ""
    prelude: str = ""
    env: dict[str, str] = {}


class Held(msgspec.Struct, frozen=True):
    """What an arm holds, where there are several files: the file, and the target it is on."""

    target: str
    path: str
    format: str
    sha256: str
    trust: bool = False
    architecture: str = ""


class CheckedModel(msgspec.Struct, frozen=True):
    """A model file, and how it was checked.

    ``path`` is absolute. ``sha256`` is of the file. ``instance`` is the index, in the file
    ``data``, in arrays, or among those ``generated`` by ``seed``, of the first of
    ``instances`` whose inputs are those of the case; ``labels`` is the ground truth given
    for them. ``custom`` are the registered names of what preludes must define. ``inputs`` are the
    names that the file gives its inputs. ``places`` has every target of the check. ``metrics``
    and ``top_k`` are those of the ``preset``. Of several files, this is the first, and ``arms``
    has what each arm holds.
    """

    title: str
    path: str
    format: str
    sha256: str
    trust: bool = False
    architecture: str = ""
    data: str = ""
    generated: bool = False
    seed: int = 0
    instance: int = 0
    instances: int = 1
    labels: np.ndarray | None = None
    preset: str = ""
    percent: float = 0.0
    metrics: dict[str, float] = {}
    top_k: int = 1
    thresholds: Thresholds = NONE
    classifier: bool = False
    custom: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    places: dict[str, Place] = {}
    arms: dict[str, Held] = {}


def model_case(model: CheckedModel, inputs: Sequence[Array]) -> Case:
    """The model on these inputs, in its own order; without any, it is only loaded."""
    names = model.inputs[: len(inputs)]
    known = list(names) if all(map(_plain, names)) else [f"x{n}" for n in range(len(names))]
    described = tuple(
        Input(name, array.shape, array.dtype.name)
        for name, array in zip(known, inputs, strict=True)
    )
    params: dict[str, Any] = to_plain(model)
    return Case(
        graph=Graph(described, (Node(MODEL, MODEL_OP, tuple(known), params),), (MODEL,)),
        inputs={name: Explicit(array) for name, array in zip(known, inputs, strict=True)},
    )


def _plain(name: str) -> bool:
    """Can a tensor of a graph have this name? TensorFlow's ``x:0`` cannot."""
    return bool(name) and ":" not in name and name != MODEL


def model_of(case: Case) -> CheckedModel | None:
    """The model that a case stands for; None for a case of ops."""
    node = case.graph.nodes[0]
    return from_plain(node.params, CheckedModel) if node.op == MODEL_OP else None


def output_name(place: int) -> str:
    """The name of a model's output among a finding's arrays."""
    return f"output:{MODEL}" if place == 0 else f"output:{MODEL}:{place}"


def output_place(where: str) -> int:
    """The place of the output that a name stands for."""
    place = where.removeprefix(output_name(0)).removeprefix(":")
    return int(place) if place else 0
