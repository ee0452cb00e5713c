"""Data sets for a model: found by name, checked against its inputs, read in batches."""

import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from assay.ir import Array
from assay.ir.check import TensorSpec
from assay.models._base import LABELS, Batch, DataError, Dataset, batch_size, told
from assay.models.columns import Column, InMemory, read_npy, read_npz, read_safetensors
from assay.models.conversions import NONE, Conversions, sizes
from assay.models.fitting import fitted
from assay.models.images import listed, read_images
from assay.models.table import Table

_ARRAYS: dict[str, Callable[[str], list[Column]]] = {
    ".npz": read_npz,
    ".npy": read_npy,
    ".safetensors": read_safetensors,
}
_TABLE = ".csv"


def open_data(
    path: str,
    inputs: Sequence[TensorSpec],
    ids: Mapping[str, int] | None = None,
    conversions: Conversions = NONE,
    limit: int | None = None,
) -> Dataset:
    """The instances in a file or a directory of images, for a model's inputs.

    ``ids`` are the inputs that hold ids. With ``limit`` only so many, from the first on.
    ``DataError`` for what does not fit; a conversion that nobody asked for is never made.
    """
    said: list[str] = []
    if os.path.isdir(path):
        if len(inputs) != 1:
            raise DataError(
                f"{path}: a directory of images fits models with one input; this one has "
                f"{len(inputs)} ({', '.join(item.name for item in inputs)})."
            )
        columns, said = read_images(path, inputs[0], conversions)
        # Done while they are read, each image by itself.
        conversions = Conversions(scale=conversions.scale)
    elif _ending(path) == _TABLE:
        columns, said = Table(path).columns(inputs)
    else:
        columns = _arrays(path)
    return _of_columns(path, columns, inputs, ids or {}, conversions, limit, said)


def readable(path: str) -> None:
    """``DataError`` if there is no data at ``path``, or it is damaged: all that can be said
    before the model's inputs are known.
    """
    if os.path.isdir(path):
        listed(path)
    elif _ending(path) == _TABLE:
        Table(path)
    else:
        _arrays(path)


def in_memory(
    arrays: Mapping[str, Array] | Sequence[Array],
    inputs: Sequence[TensorSpec],
    ids: Mapping[str, int] | None = None,
    conversions: Conversions = NONE,
    limit: int | None = None,
) -> Dataset:
    """Instances in arrays: by name as in a .npz file, or in the order of the model's inputs."""
    if not isinstance(arrays, Mapping):
        if len(arrays) != len(inputs):
            raise DataError(
                f"the model has {len(inputs)} inputs ({', '.join(spec.name for spec in inputs)}); "
                f"received {len(arrays)} arrays. Pass a dict of arrays to add labels as y."
            )
        arrays = {spec.name: array for spec, array in zip(inputs, arrays, strict=True)}
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise DataError(f"data: {name} holds Python objects. Pass plain arrays.")
    columns = [InMemory(name, array) for name, array in arrays.items()]
    return _of_columns("data", columns, inputs, ids or {}, conversions, limit, [])


def _ending(path: str) -> str:
    """How the name of a data file ends; ``DataError`` if there is no such file."""
    if not os.path.exists(path):
        raise DataError(f'no data file "{path}". Check the path.')
    ending = os.path.splitext(path)[1].lower()
    if ending not in (*_ARRAYS, _TABLE):
        known = ", ".join((*_ARRAYS, _TABLE))
        raise DataError(f'expected data as {known} or a directory of images; received "{path}".')
    return ending


def _arrays(path: str) -> list[Column]:
    try:
        return _ARRAYS[_ending(path)](path)
    except DataError:
        raise
    except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path} is damaged, or holds no plain arrays ({reason}).") from None


def _of_columns(
    path: str,
    columns: Sequence[Column],
    inputs: Sequence[TensorSpec],
    ids: Mapping[str, int],
    conversions: Conversions,
    limit: int | None,
    said: list[str],
) -> Dataset:
    by_name = {column.name: column for column in columns}
    found = [_column_for(path, item, by_name, inputs) for item in inputs]
    taken = {column.name for column in found}
    truth = next((by_name[n] for n in LABELS if n in by_name and n not in taken), None)
    ignored = [n for n in by_name if n not in taken and (truth is None or n != truth.name)]
    if ignored:
        said = [*said, f"ignored: {', '.join(ignored)}"]
    single = any(
        not column.constant and len(column.shape) == len(item.shape) + 1
        for column, item in zip(found, inputs, strict=True)
    )
    chosen, notes = fitted(path, found, inputs, ids, conversions, single)
    instances = _count(path, [*chosen, *([truth] if truth else [])])
    if limit is not None and limit > instances:
        raise DataError(f"{path} has {instances:,} instances; --instances asks for {limit:,}.")
    instances = min(instances, limit or instances)
    one_by_one = single or any(getattr(column, "varied", False) for column in found)
    fixed = any(item.shape and item.shape[0] == 1 for item in inputs)
    rows = [column.row_bytes for column in chosen if not column.constant]
    size = 1 if one_by_one or fixed else batch_size(rows)

    def batches() -> Iterator[Batch]:
        readers = [column.open() for column in chosen]
        constants = [column.open()(1) if column.constant else None for column in chosen]
        label_reader = truth.open() if truth else None
        for start in range(0, instances, size):
            count = min(size, instances - start)
            arrays = []
            for place, item in enumerate(inputs):
                array = constants[place]
                if array is None:
                    array = readers[place](count)
                    array = array[0] if single else array
                arrays.append(_cast(path, array, item))
            labels = label_reader(count) if label_reader else None
            yield Batch(start, count, tuple(arrays), labels)

    return Dataset(instances, batches, labelled=truth is not None, said=(*said, *notes))


def _column_for(
    path: str, item: TensorSpec, by_name: Mapping[str, Column], inputs: Sequence[TensorSpec]
) -> Column:
    """The array of an input: by its name, of the only input also ``x``.

    Where a file does not name its only input, any array may be meant but the labels.
    """
    alone = len(inputs) == 1
    column = by_name.get(item.name)
    if column is None and alone:
        column = by_name.get("x")
        others = [by_name[name] for name in by_name if name not in LABELS]
        if column is None and not item.name:
            alike = [other for other in others if len(other.shape) == len(item.shape)]
            column = next(iter(alike or others), None)
    if column is None:
        wanted = "x" if alone else ", ".join(spec.name for spec in inputs)
        raise DataError(
            f"{path}: expected arrays named {wanted} (and y for labels); "
            f"received {', '.join(by_name) or 'none'}."
        )
    return column


def _count(path: str, columns: Sequence[Column]) -> int:
    counts = {column.name: column.shape[0] for column in columns if not column.constant}
    if len(set(counts.values())) > 1:
        listing = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        raise DataError(f"{path}: arrays differ in their number of instances: {listing}.")
    instances = next(iter(counts.values()), 1)
    if instances == 0:
        raise DataError(f"{path} has 0 instances: nothing to check. Give at least one.")
    return instances


def _cast(path: str, array: Array, item: TensorSpec) -> Array:
    """The numbers in the model's format; whole ones must be, and fit."""
    wanted: np.dtype[Any] = np.dtype(item.dtype)
    if wanted.kind in "iu" and array.dtype != wanted:
        limits = np.iinfo(wanted)
        inside = (array >= limits.min) & (array <= limits.max) & (array == np.trunc(array))
        if not inside.all():
            wrong = array[~inside].flat[0]
            raise DataError(
                f"{path}: {told(item)} of the model ({sizes(item.shape)}) takes {item.dtype}, "
                f"whole numbers from {limits.min} to {limits.max}; received {wrong}."
            )
    return np.ascontiguousarray(array, dtype=wanted).reshape(array.shape)  # 0-d stays 0-d
