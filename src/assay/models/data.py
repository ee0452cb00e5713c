"""Data sets in batches: read as they are needed, never as a whole.

A data set of 10,000 images does not fit into memory; a batch does. Arrays are
read without pickle.
"""

import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

import msgspec
import numpy as np

from assay.ir import Array, Integers, Uniform, derive, range_of_instance
from assay.ir.check import TensorSpec
from assay.models._base import DataError

#: Instances per batch, and the bytes a batch may have.
MAX_BATCH = 32
_BATCH_BYTES = 24 << 20
#: Sizes for free axes of generated inputs, by rank.
_FREE_SIZE = {2: 16, 3: 16, 4: 64}
_IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")


class Batch(msgspec.Struct, frozen=True):
    """Some instances: inputs in the model's order, labels if there are any."""

    start: int
    count: int
    inputs: tuple[Array, ...]
    labels: Array | None = None


class Dataset(msgspec.Struct, frozen=True):
    """Instances for a model. ``batches`` reads them anew each time."""

    instances: int
    batches: Callable[[], Iterator[Batch]]
    generated: bool = False


def generated(
    inputs: Sequence[TensorSpec], ids: Mapping[str, int], instances: int, seed: int
) -> Dataset:
    """Instances drawn by seed for a model's inputs, each a function of its index."""
    shapes = [_concrete(item) for item in inputs]
    size = _batch_size([_bytes(s, i.dtype) for s, i in zip(shapes, inputs, strict=True)], inputs)

    def draw(place: int, index: int) -> Array:
        spec, shape = inputs[place], shapes[place]
        seeded = derive(seed, "instance", index, place)
        if spec.name in ids or np.dtype(spec.dtype).kind in "iu":
            recipe = Integers(seeded, 0, ids.get(spec.name, 10) - 1)
            return recipe.materialise(shape, "int64").astype(spec.dtype)
        if np.dtype(spec.dtype).kind == "b":
            return Integers(seeded, 0, 1).materialise(shape, "int64").astype(bool)
        low, high = range_of_instance(seeded) if len(spec.shape) == 4 else (-1.0, 1.0)
        return Uniform(seeded, low, high).materialise(shape, spec.dtype)

    def batches() -> Iterator[Batch]:
        for start in range(0, instances, size):
            count = min(size, instances - start)
            arrays = tuple(
                np.stack([draw(place, start + offset) for offset in range(count)])
                if spec.shape and spec.shape[0] is None
                else draw(place, start)
                for place, spec in enumerate(inputs)
            )
            yield Batch(start, count, arrays)

    return Dataset(instances, batches, generated=True)


def _concrete(spec: TensorSpec) -> tuple[int, ...]:
    """The shape of one instance; whole arrays where the first axis is no batch."""
    shape = spec.shape[1:] if spec.shape and spec.shape[0] is None else spec.shape
    free = _FREE_SIZE.get(len(spec.shape), 8)
    return tuple(free if size is None else size for size in shape)


def _bytes(shape: Sequence[int], dtype: str) -> int:
    return int(np.prod(shape, dtype="int64")) * np.dtype(dtype).itemsize


def _batch_size(sizes: Sequence[int], inputs: Sequence[TensorSpec]) -> int:
    if any(not item.shape or item.shape[0] is not None for item in inputs):
        return 1  # an axis of the batch is missing somewhere: one call per instance
    return max(1, min(MAX_BATCH, _BATCH_BYTES // max(1, sum(sizes))))


class _Column:
    """One array of a data set, read from front to back. ``constant`` if it has no instances."""

    def __init__(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.name, self.shape, self.dtype = name, shape, dtype
        self.constant = shape == ()

    def open(self) -> Callable[[int], Array]:
        """A reader: called with a count, it gives the next instances."""
        raise NotImplementedError


class _Stored(_Column):
    """An array of a .npy file or of a .npz archive, read (and decompressed) as it is needed.

    Not mapped into memory: pages that were read would count as ours until someone needs them.
    """

    def __init__(self, path: str, name: str, opener: Callable[[], IO[bytes]]) -> None:
        self._path, self._opener = path, opener
        with opener() as stream:
            shape, fortran, dtype = _header(stream, path, name)
        if dtype.hasobject:
            raise DataError(f"{path}: {name} holds Python objects (a pickle). Save plain arrays.")
        if fortran and len(shape) > 1:
            raise DataError(
                f"{path}: {name} is stored in Fortran order. Save it with np.ascontiguousarray."
            )
        super().__init__(name, shape, dtype)

    def open(self) -> Callable[[int], Array]:
        stream = self._opener()
        _header(stream, self._path, self.name)
        row = int(np.prod(self.shape[1:], dtype="int64"))

        def read(count: int) -> Array:
            rows = 1 if self.constant else count
            data = stream.read(rows * row * self.dtype.itemsize)
            if len(data) < rows * row * self.dtype.itemsize:
                raise DataError(f"{self._path} ends before the last instance of {self.name}.")
            array = np.frombuffer(data, self.dtype)
            return array.reshape(self.shape if self.constant else (rows, *self.shape[1:]))

        return read


def _file(path: str) -> _Column:
    def opener() -> IO[bytes]:
        return open(path, "rb")  # closed with its reader

    column = _Stored(path, "x", opener)
    expected = _bytes(column.shape, column.dtype.str)
    if os.path.getsize(path) < expected:
        raise ValueError(f"{expected:,} bytes of numbers expected")
    return column


def _member(path: str, member: str) -> _Column:
    def opener() -> IO[bytes]:
        return zipfile.ZipFile(path).open(member)

    return _Stored(path, member.removesuffix(".npy"), opener)


def _header(stream: IO[bytes], path: str, member: str) -> tuple[Any, bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            return np.lib.format.read_array_header_1_0(stream)
        return np.lib.format.read_array_header_2_0(stream)
    except ValueError as error:
        raise DataError(f"{path}: {member} is no array ({error}).") from None


def open_data(path: str, inputs: Sequence[TensorSpec], labels: bool = True) -> Dataset:
    """The instances in a .npz or .npy file or a directory of images, for a model's inputs."""
    if os.path.isdir(path):
        return _images(path, inputs)
    if not os.path.exists(path):
        raise DataError(f'no data file "{path}". Check the path.')
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".npz", ".npy"):
        raise DataError(f'expected data as .npz, .npy or a directory of images; received "{path}".')
    try:
        columns: list[_Column]
        if ending == ".npy":
            columns = [_file(path)]
        else:
            with zipfile.ZipFile(path) as archive:
                members = [name for name in archive.namelist() if name.endswith(".npy")]
            columns = [_member(path, name) for name in members]
    except DataError:
        raise
    except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{path} is damaged, or holds no plain arrays ({reason}).") from None
    return _of_columns(path, columns, inputs)


class _InMemory(_Column):
    """An array that is there already."""

    def __init__(self, name: str, array: Array) -> None:
        self._array = array
        super().__init__(name, array.shape, array.dtype)

    def open(self) -> Callable[[int], Array]:
        start = 0

        def read(count: int) -> Array:
            nonlocal start
            if self.constant:
                return self._array
            start += count
            return self._array[start - count : start]

        return read


def in_memory(
    arrays: Mapping[str, Array] | Sequence[Array], inputs: Sequence[TensorSpec]
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
    return _of_columns("data", [_InMemory(name, a) for name, a in arrays.items()], inputs)


def _of_columns(path: str, columns: Sequence[_Column], inputs: Sequence[TensorSpec]) -> Dataset:
    by_name = {column.name: column for column in columns}
    chosen = []
    for item in inputs:
        column = by_name.get(item.name)
        if column is None and len(inputs) == 1:
            column = by_name.get("x")
        if column is None:
            wanted = "x" if len(inputs) == 1 else ", ".join(spec.name for spec in inputs)
            raise DataError(
                f"{path}: expected arrays named {wanted} (and y for labels); "
                f"received {', '.join(by_name) or 'none'}."
            )
        chosen.append(column)
    single = any(
        not column.constant and len(column.shape) == len(item.shape) + 1
        for column, item in zip(chosen, inputs, strict=True)
    )
    for column, item in zip(chosen, inputs, strict=True):
        _fits(path, column, item, single)
    truth = by_name.get("y") if "y" not in {item.name for item in inputs} else None
    counted = [column for column in (*chosen, *([truth] if truth else [])) if not column.constant]
    counts = {column.name: column.shape[0] for column in counted}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise DataError(f"{path}: arrays differ in their number of instances: {listed}.")
    instances = next(iter(counts.values()), 1)
    if instances == 0:
        raise DataError(f"{path} has 0 instances: nothing to check. Give at least one.")
    fixed = any(item.shape and item.shape[0] == 1 for item in inputs)
    sizes = [_bytes(column.shape[1:], column.dtype.str) for column in chosen if not column.constant]
    size = 1 if single or fixed else max(1, min(MAX_BATCH, _BATCH_BYTES // max(1, sum(sizes))))

    def batches() -> Iterator[Batch]:
        readers = [column.open() for column in chosen]
        fixed_arrays = [column.open()(1) if column.constant else None for column in chosen]
        label_reader = truth.open() if truth else None
        for start in range(0, instances, size):
            count = min(size, instances - start)
            arrays = []
            for place, item in enumerate(inputs):
                array = fixed_arrays[place]
                if array is None:
                    array = readers[place](count)
                    array = array[0] if single else array
                arrays.append(_cast(path, array, item))
            labels = label_reader(count) if label_reader else None
            yield Batch(start, count, tuple(arrays), labels)

    return Dataset(instances, batches)


def _fits(path: str, column: _Column, item: TensorSpec, single: bool) -> None:
    given = column.shape[1:] if single and not column.constant else column.shape
    if column.constant and not item.shape:
        return
    fits = len(given) == len(item.shape) and all(
        size is None or size == received
        for size, received in list(zip(item.shape, given, strict=True))[0 if single else 1 :]
    )
    if not fits:
        expected = "×".join("any" if size is None else str(size) for size in item.shape)
        received = "×".join(map(str, column.shape))
        raise DataError(
            f"{path}: input {item.name} of the model expects {expected or 'a scalar'}; "
            f"{column.name} has {received or 'a scalar'}."
        )


def _cast(path: str, array: Array, item: TensorSpec) -> Array:
    if array.dtype.kind not in "fiub":
        raise DataError(f"{path}: expected numbers for {item.name}; received {array.dtype}.")
    return np.ascontiguousarray(array, dtype=item.dtype).reshape(array.shape)  # 0-d stays 0-d


def _images(path: str, inputs: Sequence[TensorSpec]) -> Dataset:
    """Images by name, scaled to the model's input; values from 0 to 1."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise DataError("reading images needs Pillow. pip install pillow") from None
    if len(inputs) != 1 or len(inputs[0].shape) != 4:
        raise DataError(f"{path}: a directory of images fits models with one image as input.")
    item = inputs[0]
    last = item.shape[3] in (1, 3)
    height, width, channels = item.shape[1:] if last else (*item.shape[2:], item.shape[1])
    names = sorted(name for name in os.listdir(path) if name.lower().endswith(_IMAGES))
    if not names:
        raise DataError(f"{path} has no images ({', '.join(_IMAGES)}): nothing to check.")
    size = (width or 224, height or 224)
    bytes_of_one = _bytes((*size, channels or 3), item.dtype)
    batch = max(1, min(MAX_BATCH, _BATCH_BYTES // bytes_of_one))

    def image(name: str) -> Array:
        try:
            with Image.open(os.path.join(path, name)) as opened:
                pixels = np.asarray(opened.convert("L" if channels == 1 else "RGB").resize(size))
        except OSError as error:
            raise DataError(f"{os.path.join(path, name)} is no image ({error}).") from None
        array = pixels.reshape(size[1], size[0], -1).astype("float32") / 255.0
        return array if last else np.moveaxis(array, -1, 0)

    def batches() -> Iterator[Batch]:
        for start in range(0, len(names), batch):
            chosen = names[start : start + batch]
            array = np.stack([image(name) for name in chosen]).astype(item.dtype)
            yield Batch(start, len(chosen), (np.ascontiguousarray(array),))

    return Dataset(len(names), batches)
