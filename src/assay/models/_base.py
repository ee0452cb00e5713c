"""What is known of a model file before any library loads it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.ir import Array
from assay.ir.check import TensorSpec

Format = Literal["keras", "onnx", "torch", "litert", "openvino", "savedmodel"]
#: What labels are called in data.
LABELS = ("y", "label")
#: Instances per batch, and the bytes a batch may have.
MAX_BATCH = 32
_BATCH_BYTES = 24 << 20


class ModelError(AssayError):
    """The file is no model, is damaged, or would run code."""


class DataError(AssayError):
    """The data cannot be read, or does not fit the model."""


class ModelFile(msgspec.Struct, frozen=True):
    """A model file that is safe to load.

    ``ids`` says for an input that holds ids how many there are. ``architecture`` is
    the JSON of a model whose file has weights only. ``inputs`` are empty where only the
    library can tell them; an input without a name has one that the library makes up.
    ``outputs`` are the names of its outputs, as far as the file tells them. ``custom`` are
    the registered names of classes and functions that are not the library's own.
    """

    path: str
    format: Format
    ids: dict[str, int] = {}
    architecture: str = ""
    trust: bool = False
    inputs: tuple[TensorSpec, ...] = ()
    outputs: tuple[str, ...] = ()
    custom: tuple[str, ...] = ()


class Batch(msgspec.Struct, frozen=True):
    """Some instances: inputs in the model's order, labels if there are any."""

    start: int
    count: int
    inputs: tuple[Array, ...]
    labels: Array | None = None


class Dataset(msgspec.Struct, frozen=True):
    """Instances for a model. ``batches`` reads them anew each time.

    ``said``: what was converted, and how what is in the files was understood.
    """

    instances: int
    batches: Callable[[], Iterator[Batch]]
    generated: bool = False
    labelled: bool = False
    said: tuple[str, ...] = ()


def unfit(
    inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], left_out: Sequence[TensorSpec]
) -> str:
    """Why a model cannot be checked for what it takes and gives; empty if it can.

    ``left_out`` are outputs that are no arrays of numbers.
    """
    for item in inputs:
        if not numeric(item.dtype):
            return f"{told(item)} is no array of numbers ({item.dtype}), and a check gives no other"
    if left_out and not outputs:
        named = ", ".join(f"{item.name} ({item.dtype})" for item in left_out)
        zipped = any("map" in item.dtype for item in left_out)
        hint = '. Export scores as an array (skl2onnx: options={"zipmap": False})' if zipped else ""
        return f"no output is an array of numbers, so there is nothing to compare: {named}{hint}"
    return ""


def numeric(dtype: str) -> bool:
    """Does the type of this name hold numbers?"""
    try:
        return "float" in dtype or np.dtype(dtype).kind in "biufc"
    except TypeError:
        return False


def told(item: TensorSpec) -> str:
    """An input in messages; some files do not name their only one."""
    return f"input {item.name}" if item.name else "the input"


def batch_size(row_bytes: Sequence[int]) -> int:
    """How many instances make a batch, given what one of each input takes."""
    return max(1, min(MAX_BATCH, _BATCH_BYTES // max(1, sum(row_bytes))))
